// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/distribution_xml.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace taihu::neutron {
namespace {

/// The sum of its probabilities, where it need not be 1.
double integral(const Distribution& d) {
  if (d.type == Distribution::Type::mixture || d.type == Distribution::Type::discrete) {
    double sum = 0;
    for (const double p : d.p) sum += p;
    return sum;
  }
  if (d.type != Distribution::Type::tabular) return 1;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < d.x.size(); ++i)
    sum += (d.x[i + 1] - d.x[i]) * (d.histogram ? d.p[i] : 0.5 * (d.p[i] + d.p[i + 1]));
  return sum;
}

Distribution read_mixture(Element& element) {
  Distribution d;
  d.type = Distribution::Type::mixture;
  double sum = 0;
  for (Element pair : element.children("pair")) {
    std::optional<Element> part = pair.child("dist");
    pair.require(part.has_value(), "<dist> is missing");
    d.parts.push_back(read_distribution(*part));
    const double probability = pair.number("probability");
    pair.require(probability >= 0, "the probability must not be negative");
    d.p.push_back(probability * integral(d.parts.back()));
    sum += d.p.back();
    pair.finish();
  }
  element.require(sum > 0, "a mixture needs a <pair> with a positive probability");
  element.finish();
  return d;
}

}  // namespace

Distribution read_distribution(Element element) {
  Distribution d;
  const std::string type = element.text("type");
  if (type == "mixture") return read_mixture(element);
  std::vector<double> values;
  if (element.has("parameters")) values = element.numbers("parameters");
  if (type == "discrete" || type == "tabular") {
    element.require(!values.empty() && values.size() % 2 == 0,
                    "\"parameters\" has as many values as probabilities");
    d.x.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    d.p.assign(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    double sum = 0;
    for (const double p : d.p) {
      element.require(p >= 0, "probabilities must not be negative");
      sum += p;
    }
    element.require(sum > 0 && std::isfinite(sum), "probabilities are all zero or have no sum");
    if (type == "tabular") {
      d.type = Distribution::Type::tabular;
      const std::string interpolation = element.text("interpolation", "histogram");
      element.require(interpolation == "histogram" || interpolation == "linear-linear",
                      "interpolation \"" + interpolation + "\" is not supported");
      d.histogram = interpolation == "histogram";
      element.require(d.x.size() >= 2 && std::is_sorted(d.x.begin(), d.x.end()),
                      "a table needs two points that rise");
      element.require(integral(d) > 0 && std::isfinite(integral(d)),
                      "the densities of the table are zero wherever they count");
    }
  } else if (type == "uniform" || type == "powerlaw" || type == "watt" || type == "maxwell" ||
             type == "normal") {
    const std::map<std::string, std::size_t> counts{
        {"uniform", 2}, {"powerlaw", 3}, {"watt", 2}, {"maxwell", 1}, {"normal", 2}};
    element.require(values.size() == counts.at(type),
                    type + " needs " + std::to_string(counts.at(type)) + " parameters");
    d.type = type == "uniform"    ? Distribution::Type::uniform
             : type == "powerlaw" ? Distribution::Type::powerlaw
             : type == "watt"     ? Distribution::Type::watt
             : type == "normal"   ? Distribution::Type::normal
                                  : Distribution::Type::maxwell;
    d.a = values[0];
    if (values.size() > 1) d.b = values[1];
    if (values.size() > 2) d.exponent = values[2];
    element.require(
        type != "powerlaw" || (d.a >= 0 && d.b > d.a && d.exponent != -1 && (d.a > 0 || d.exponent > -1)),
        "impossible powerlaw");
    element.require(type != "uniform" || d.a <= d.b, "the lower end is above the upper one");
    element.require(type != "watt" || d.b >= 0, "\"b\" must not be negative");
    element.require(type != "normal" || d.b > 0, "the deviation has to be positive");
    element.require((type != "watt" && type != "maxwell") || d.a > 0, "the temperature has to be positive");
  } else {
    element.fail("distribution \"" + type + "\" is not supported");
  }
  element.finish();
  return d;
}

Distribution required_distribution(Element& owner, const std::string& name) {
  std::optional<Element> element = owner.child(name);
  owner.require(element.has_value(), "<" + name + "> is missing");
  return read_distribution(*element);
}

Range range_of(const Distribution& d) {
  switch (d.type) {
    case Distribution::Type::discrete:
    case Distribution::Type::tabular: {
      const auto [least, most] = std::minmax_element(d.x.begin(), d.x.end());
      return {*least, *most};
    }
    case Distribution::Type::uniform:
    case Distribution::Type::powerlaw:
      return {d.a, d.b};
    case Distribution::Type::normal:
      return {d.a, d.a};  // the rest may be anywhere
    case Distribution::Type::maxwell:
    case Distribution::Type::watt:
      return {0, infinity};
    case Distribution::Type::mixture:
      break;
  }
  Range range{infinity, -infinity};
  for (const Distribution& part : d.parts) {
    range.least = std::min(range.least, range_of(part).least);
    range.most = std::max(range.most, range_of(part).most);
  }
  return range;
}

/// Reads a distribution whose values have to lie in a range, except for rounding errors.
Distribution required_between(Element& owner, const std::string& name, double least, double most) {
  const Distribution d = required_distribution(owner, name);
  const Range range = range_of(d);
  owner.require(range.least >= least - 1e-12 && range.most <= most + 1e-12,
                "<" + name + "> has values " + (most == infinity ? "below 0" : "outside of -1 to 1"));
  return d;
}

}  // namespace taihu::neutron
