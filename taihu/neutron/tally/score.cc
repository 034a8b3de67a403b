// SPDX-License-Identifier: Apache-2.0
// Names of reactions: numbers and particles as in the ENDF-6 Formats Manual (BNL-203218-2018-INRE), appendix
// B, spelled as in OpenMC's files.
#include "taihu/neutron/tally/score.h"

#include <array>
#include <charconv>
#include <utility>

namespace taihu::neutron {
namespace {

constexpr std::array<const char*, 16> score_names{"flux",
                                                  "total",
                                                  "scatter",
                                                  "nu-scatter",
                                                  "absorption",
                                                  "fission",
                                                  "nu-fission",
                                                  "kappa-fission",
                                                  "current",
                                                  "events",
                                                  "inverse-velocity",
                                                  "prompt-nu-fission",
                                                  "delayed-nu-fission",
                                                  "decay-rate",
                                                  "fission-q-prompt",
                                                  "fission-q-recoverable"};

constexpr std::pair<int, const char*> reaction_names[] = {
    {2, "(n,elastic)"}, {3, "(n,nonelastic)"},  {4, "(n,level)"},       {11, "(n,2nd)"},
    {16, "(n,2n)"},     {17, "(n,3n)"},         {18, "(n,fission)"},    {19, "(n,f)"},
    {20, "(n,nf)"},     {21, "(n,2nf)"},        {22, "(n,na)"},         {23, "(n,n3a)"},
    {24, "(n,2na)"},    {25, "(n,3na)"},        {28, "(n,np)"},         {29, "(n,n2a)"},
    {30, "(n,2n2a)"},   {32, "(n,nd)"},         {33, "(n,nt)"},         {34, "(n,n3He)"},
    {35, "(n,nd2a)"},   {36, "(n,nt2a)"},       {37, "(n,4n)"},         {38, "(n,3nf)"},
    {41, "(n,2np)"},    {42, "(n,3np)"},        {44, "(n,n2p)"},        {45, "(n,npa)"},
    {91, "(n,nc)"},     {101, "(n,disappear)"}, {102, "(n,gamma)"},     {103, "(n,p)"},
    {104, "(n,d)"},     {105, "(n,t)"},         {106, "(n,3He)"},       {107, "(n,a)"},
    {108, "(n,2a)"},    {109, "(n,3a)"},        {111, "(n,2p)"},        {112, "(n,pa)"},
    {113, "(n,t2a)"},   {114, "(n,d2a)"},       {115, "(n,pd)"},        {116, "(n,pt)"},
    {117, "(n,da)"},    {152, "(n,5n)"},        {153, "(n,6n)"},        {154, "(n,2nt)"},
    {155, "(n,ta)"},    {156, "(n,4np)"},       {157, "(n,3nd)"},       {158, "(n,nda)"},
    {159, "(n,2npa)"},  {160, "(n,7n)"},        {161, "(n,8n)"},        {162, "(n,5np)"},
    {163, "(n,6np)"},   {164, "(n,7np)"},       {165, "(n,4na)"},       {166, "(n,5na)"},
    {167, "(n,6na)"},   {168, "(n,7na)"},       {169, "(n,4nd)"},       {170, "(n,5nd)"},
    {171, "(n,6nd)"},   {172, "(n,3nt)"},       {173, "(n,4nt)"},       {174, "(n,5nt)"},
    {175, "(n,6nt)"},   {176, "(n,2n3He)"},     {177, "(n,3n3He)"},     {178, "(n,4n3He)"},
    {179, "(n,3n2p)"},  {180, "(n,3n2a)"},      {181, "(n,3npa)"},      {182, "(n,dt)"},
    {183, "(n,npd)"},   {184, "(n,npt)"},       {185, "(n,ndt)"},       {186, "(n,np3He)"},
    {187, "(n,nd3He)"}, {188, "(n,nt3He)"},     {189, "(n,nta)"},       {190, "(n,2n2p)"},
    {191, "(n,p3He)"},  {192, "(n,d3He)"},      {193, "(n,3Hea)"},      {194, "(n,4n2p)"},
    {195, "(n,4n2a)"},  {196, "(n,4npa)"},      {197, "(n,3p)"},        {198, "(n,n3p)"},
    {199, "(n,3n2pa)"}, {200, "(n,5n2p)"},      {201, "(n,Xn)"},        {202, "(n,Xgamma)"},
    {203, "(n,Xp)"},    {204, "(n,Xd)"},        {205, "(n,Xt)"},        {206, "(n,X3He)"},
    {207, "(n,Xa)"},    {301, "heating"},       {444, "damage-energy"}, {649, "(n,pc)"},
    {699, "(n,dc)"},    {749, "(n,tc)"},        {799, "(n,3Hec)"},      {849, "(n,ac)"},
    {891, "(n,2nc)"},   {901, "heating-local"}};

/// Reactions that leave the nucleus in its level number `mt - first`.
struct Levels {
  int first, ground, count;  ///< MT of level 0, the lowest level with a name, one past the last one
  const char* particle;
};
constexpr Levels levels[] = {{50, 1, 41, "n"},    {600, 0, 49, "p"}, {650, 0, 49, "d"}, {700, 0, 49, "t"},
                             {750, 0, 49, "3He"}, {800, 0, 49, "a"}, {875, 0, 16, "2n"}};

constexpr std::pair<const char*, int> other_names[] = {{"elastic", 2},
                                                       {"n2n", 16},
                                                       {"n3n", 17},
                                                       {"n4n", 37},
                                                       {"H1-production", 203},
                                                       {"H2-production", 204},
                                                       {"H3-production", 205},
                                                       {"He3-production", 206},
                                                       {"He4-production", 207}};

constexpr int largest_mt = 999;

}  // namespace

std::string name_of(Score score) {
  const int mt = mt_of(score);
  if (mt == 0) return score_names[static_cast<std::size_t>(score)];
  for (const auto& [number, name] : reaction_names)
    if (number == mt) return name;
  for (const Levels& l : levels)
    if (mt >= l.first + l.ground && mt < l.first + l.count)
      return "(n," + std::string(l.particle) + std::to_string(mt - l.first) + ")";
  return "MT=" + std::to_string(mt);
}

std::optional<Score> score_named(const std::string& name) {
  for (std::size_t i = 0; i < score_names.size(); ++i)
    if (name == score_names[i]) return static_cast<Score>(i);
  if (name == "(n,total)") return Score::total;
  for (const auto& [other, mt] : other_names)
    if (name == other) return reaction_score(mt);
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error == std::errc() && stop == end && number >= 1 && number <= largest_mt)
    return number == 1 ? Score::total : reaction_score(number);
  for (int mt = 2; mt <= largest_mt; ++mt)
    if (name == name_of(reaction_score(mt))) return reaction_score(mt);
  return std::nullopt;
}

}  // namespace taihu::neutron
