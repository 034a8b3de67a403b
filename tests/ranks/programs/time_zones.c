// SPDX-License-Identifier: Apache-2.0
// Each rank has a time zone: setenv of TZ and tzset change it for this rank, in every call and variable.
#define _GNU_SOURCE
#include <string.h>
#include <time.h>

#include "check.h"

// Rules in the variable itself, so that no files of zones are needed.
static const struct {
  const char *rule, *winter, *summer;
  int winter_hours, summer_hours;  // to add to UTC
} zones[] = {{"EST5EDT,M3.2.0,M11.1.0", "EST", "EDT", -5, -4},
             {"CET-1CEST,M3.5.0,M10.5.0/3", "CET", "CEST", 1, 2},
             {"UTC0", "UTC", "UTC", 0, 0},
             {"XYZ-9:00", "XYZ", "XYZ", 9, 9}};

static const time_t january = 1705320000, july = 1720958400;  // 2024-01-15 12:00, 2024-07-14 12:00 UTC

// The portable timegm.
static time_t to_seconds(struct tm* calendar) {
  char* before = getenv("TZ");
  if (before) before = strdup(before);
  setenv("TZ", "UTC0", 1);
  tzset();
  const time_t result = mktime(calendar);
  if (before)
    setenv("TZ", before, 1);
  else
    unsetenv("TZ");
  free(before);
  tzset();
  return result;
}

static void check_one(time_t when, const char* name, int hours, int is_summer) {
  struct tm own, utc;
  char text[64], want[64];
  CHECK(localtime_r(&when, &own) == &own && gmtime_r(&when, &utc) == &utc);
  CHECK(own.tm_gmtoff == hours * 3600 && own.tm_isdst == is_summer && strcmp(own.tm_zone, name) == 0);
  CHECK(own.tm_hour == (12 + hours) % 24);
  CHECK(strftime(text, sizeof text, "%H %Z %z", &own) > 0);
  snprintf(want, sizeof want, "%02d %s %c%02d00", own.tm_hour, name, hours < 0 ? '-' : '+', abs(hours));
  CHECK(strcmp(text, want) == 0);
  CHECK(mktime(&own) == when);
  CHECK(localtime(&when)->tm_hour == own.tm_hour && atoi(ctime(&when) + 11) == own.tm_hour);
  CHECK(to_seconds(&utc) == when);
}

int main(void) {
  const int rank = my_rank(), zone = rank % 4;
  CHECK(strcmp(tzname[0], "GMT") == 0 && timezone == 0);
  CHECK(setenv("TZ", zones[zone].rule, 1) == 0);
  tzset();
  for (int round = 0; round < 20; ++round) {
    CHECK(strcmp(tzname[0], zones[zone].winter) == 0 && timezone == -3600 * zones[zone].winter_hours);
    CHECK(strcmp(tzname[1], zones[zone].summer) == 0 &&
          !daylight == (zones[zone].winter_hours == zones[zone].summer_hours));
    check_one(january, zones[zone].winter, zones[zone].winter_hours, 0);
    check_one(july, zones[zone].summer, zones[zone].summer_hours, daylight);
    usleep(500);
  }
  // An empty value means UTC; without the variable the system's zone counts, as at the start.
  setenv("TZ", "", 1);
  CHECK(localtime(&january)->tm_hour == 12);
  unsetenv("TZ");
  tzset();
  struct tm own;
  CHECK(localtime_r(&july, &own) && mktime(&own) == july);
  printf("rank %d: the time zone is private\n", rank);
  return 0;
}
