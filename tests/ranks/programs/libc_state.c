// SPDX-License-Identifier: Apache-2.0
// Every family of libc calls with hidden state: set it as this rank, let the others do the same, look again.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <wchar.h>

#include "check.h"

static void check_strtok(int rank) {
  char text[64], want[16];
  snprintf(text, sizeof text, "a%d b%d c%d", rank, rank, rank);
  for (char *word = strtok(text, " "), first = 'a'; first <= 'c'; word = strtok(NULL, " "), ++first) {
    snprintf(want, sizeof want, "%c%d", first, rank);
    CHECK(word && strcmp(word, want) == 0);
    let_others_run();
  }
}

static void check_random(int rank) {
  char table[128];
  struct random_data reference = {0};
  CHECK(initstate_r(rank + 5, table, sizeof table, &reference) == 0);
  srand(rank + 5);
  for (int i = 0; i < 8; ++i) {
    int32_t want;
    random_r(&reference, &want);
    CHECK((i % 2 ? random() : rand()) == want);
    if (i % 4 == 3) let_others_run();
  }
  static char own[64];
  char* before = initstate(rank, own, sizeof own);
  const long first = random();
  let_others_run();
  CHECK(setstate(before) == own);
  setstate(own);
  srandom(rank);
  CHECK(random() == first);
  struct drand48_data reference48 = {0};
  srand48_r(rank, &reference48);
  srand48(rank);
  for (int i = 0; i < 4; ++i) {
    double want;
    drand48_r(&reference48, &want);
    CHECK(drand48() == want);
    let_others_run();
  }
}

static void check_options(int rank) {
  char number[8];
  snprintf(number, sizeof number, "%d", rank);
  char* words[] = {"prog", "operand", "-n", number, "--size=7", "-v", "--size", number, "--", "-x", NULL};
  const struct option options[] = {{"size", required_argument, NULL, 's'}, {NULL, 0, NULL, 0}};
  int n = 0, v = 0, size = 0;
  CHECK(optind == 1 && opterr == 1);
  for (int letter; (letter = getopt_long(10, words, "n:v", options, NULL)) != -1; let_others_run()) {
    if (letter == 'n') n = atoi(optarg) + 1;
    if (letter == 'v') ++v;
    if (letter == 's') size = size * 10 + atoi(optarg);
  }
  CHECK(n == rank + 1 && v == 1 && size == 70 + rank && optind == 8);
  CHECK(strcmp(words[8], "operand") == 0 && strcmp(words[9], "-x") == 0);
  char* bad[] = {"prog", "-ab", "-q", "-n", NULL};
  optind = 1;
  opterr = 0;
  CHECK(getopt(4, bad, "abn:") == 'a' && getopt(4, bad, "abn:") == 'b');
  CHECK(getopt(4, bad, "abn:") == '?' && optopt == 'q');
  CHECK(getopt(4, bad, ":abn:") == ':' && optopt == 'n');
  CHECK(getopt(4, bad, "abn:") == -1 && optind == 4);
}

static void check_time(int rank) {
  const time_t when = 86400L * 365 * (rank + 1);
  struct tm want;
  gmtime_r(&when, &want);
  const struct tm* got = gmtime(&when);
  char text[32];
  asctime_r(&want, text);
  const char* shown = asctime(&want);
  let_others_run();
  CHECK(got->tm_year == want.tm_year && got->tm_yday == want.tm_yday);
  CHECK(strcmp(shown, text) == 0);
  localtime_r(&when, &want);
  got = localtime(&when);
  let_others_run();
  CHECK(got->tm_year == want.tm_year);
  const char* line = ctime(&when);
  let_others_run();
  CHECK(strcmp(line, ctime_r(&when, text)) == 0);
}

extern char** environ;

static void check_environment(int rank) {
  char text[32];
  snprintf(text, sizeof text, "%d", rank);
  CHECK(setenv("MINE", text, 1) == 0);
  static char put[32];
  snprintf(put, sizeof put, "PUT=%d", rank);
  CHECK(putenv(put) == 0);
  let_others_run();
  CHECK(strcmp(getenv("MINE"), text) == 0 && atoi(getenv("PUT")) == rank);
  int seen = 0;
  for (char** entry = environ; *entry; ++entry)
    if (strncmp(*entry, "MINE=", 5) == 0) seen += strcmp(*entry + 5, text) == 0;
  CHECK(seen == 1);
  CHECK(setenv("MINE", "other", 0) == 0 && strcmp(getenv("MINE"), text) == 0);
  CHECK(unsetenv("MINE") == 0 && !getenv("MINE") && setenv("", "x", 1) == -1 && errno == EINVAL);
  char* table[] = {"ONLY=1", NULL};
  char** before = environ;
  environ = table;
  CHECK(atoi(getenv("ONLY")) == 1 && !getenv("PUT"));
  environ = before;
  CHECK(atoi(getenv("PUT")) == rank);
  snprintf(text, sizeof text, "exit $PUT");
  const int status = system(text);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == rank);
  FILE* pipe = popen("echo $PUT", "r");
  int echoed = -1;
  CHECK(pipe && fscanf(pipe, "%d", &echoed) == 1 && echoed == rank && pclose(pipe) == 0);
}

static void check_small_ones(int rank) {
  const double x = rank % 2 ? -0.5 : 3.5;
  lgamma(x);
  let_others_run();
  CHECK(signgam == (rank % 2 ? -1 : 1));
  struct in_addr address = {htonl(0x7f000001u + (unsigned)rank)};
  const char* text = inet_ntoa(address);
  let_others_run();
  CHECK(atoi(strrchr(text, '.') + 1) == 1 + rank);
  errno = 0;
  const char* message = strerror(1000 + rank);
  let_others_run();
  CHECK(atoi(strrchr(message, ' ') + 1) == 1000 + rank);
  char* name = tmpnam(NULL);
  char kept[L_tmpnam];
  strcpy(kept, name);
  let_others_run();
  CHECK(strcmp(kept, name) == 0);
  struct passwd* user = getpwuid(0);
  CHECK(user && strcmp(user->pw_name, "root") == 0);
}

static void check_hash(int rank) {
  CHECK(hcreate(10) != 0);
  ENTRY entry = {.key = "key", .data = (void*)(long)(rank + 1)};
  CHECK(hsearch(entry, ENTER));
  let_others_run();
  const ENTRY* found = hsearch(entry, FIND);
  CHECK(found && (long)found->data == rank + 1);
  hdestroy();
}

static void check_locale(int rank) {
  CHECK(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  const char* want = rank % 2 ? "C.UTF-8" : "C";
  CHECK(setlocale(LC_CTYPE, want) != NULL);
  let_others_run();
  CHECK(strcmp(setlocale(LC_CTYPE, NULL), want) == 0 && strcmp(setlocale(LC_NUMERIC, NULL), "C") == 0);
  CHECK(MB_CUR_MAX == (rank % 2 ? 6 : 1));
  CHECK(strcmp(localeconv()->decimal_point, ".") == 0);
  CHECK(!setlocale(LC_ALL, "no_SUCH") && strcmp(setlocale(LC_CTYPE, NULL), want) == 0);
  setenv("LC_ALL", "C", 1);
  CHECK(strcmp(setlocale(LC_ALL, ""), "C") == 0);
}

// Results in static memory, and what libc reads from the environment by itself.
static void check_more(int rank) {
  char want[64], text[128];
  int point, sign;
  const char* digits = ecvt(rank + 0.5, 3, &point, &sign);
  let_others_run();
  CHECK(atoi(digits) % 10 == 0 && digits[0] == (rank == 0 ? '5' : '0' + rank));
  snprintf(text, sizeof text, "temporary_%d", rank);
  CHECK(mkdir(text, 0777) == 0 && setenv("TMPDIR", text, 1) == 0);
  let_others_run();
  char* name = tempnam("/var/tmp", "begin");
  snprintf(want, sizeof want, "temporary_%d/begin", rank);
  CHECK(name && strncmp(name, want, strlen(want)) == 0);
  free(name);
  CHECK(unsetenv("TMPDIR") == 0 && rmdir(text) == 0);
  // A locale object of the environment's.
  CHECK(setenv("LC_ALL", rank % 2 ? "C.UTF-8" : "C", 1) == 0);
  let_others_run();
  locale_t locale = newlocale(LC_ALL_MASK, "", NULL);
  CHECK(locale && strcmp(nl_langinfo_l(CODESET, locale), rank % 2 ? "UTF-8" : "ANSI_X3.4-1968") == 0);
  // The first byte of a character of two, kept by libc for the next call.
  locale_t before = uselocale(locale);
  if (rank % 2) {
    wchar_t wide = 0;
    CHECK(mbrtowc(&wide, "\xc3", 1, NULL) == (size_t)-2);
    let_others_run();
    CHECK(mbrtowc(&wide, "\xa4", 1, NULL) == 1 && wide == 0xe4);
  }
  uselocale(before);
  freelocale(locale);
}

static volatile sig_atomic_t caught_signal, caught_rank = -1;

static void catch_signal(int signal) {
  caught_signal = signal;
  caught_rank = my_rank();
}

static void catch_more(int signal, siginfo_t* details, void* context) {
  caught_signal = details->si_signo == signal && context ? signal : -1;
}

static void check_signals(int rank) {
  const int mine = rank % 2 ? SIGUSR1 : SIGUSR2;
  CHECK(signal(mine, catch_signal) == SIG_DFL);
  let_others_run();
  CHECK(raise(mine) == 0 && caught_signal == mine && caught_rank == rank);
  struct sigaction action = {.sa_sigaction = catch_more, .sa_flags = SA_SIGINFO | SA_RESETHAND};
  struct sigaction before;
  CHECK(sigaction(mine, &action, &before) == 0 && before.sa_handler == catch_signal);
  caught_signal = 0;
  CHECK(kill(getpid(), mine) == 0 && caught_signal == mine);
  CHECK(sigaction(mine, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGFPE, catch_signal);
  caught_signal = 0;
  raise(SIGFPE);
  CHECK(caught_signal == SIGFPE);
  signal(SIGALRM, catch_signal);
  caught_signal = 0;
  const struct itimerval soon = {{0, 0}, {0, 10000}};
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  for (int i = 0; i < 1000 && !caught_signal; ++i) usleep(1000);
  CHECK(caught_signal == SIGALRM && caught_rank == rank);
  CHECK(alarm(100) == 0 && alarm(0) >= 99);
}

static void* wait_for_signal(void* got) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  CHECK(sigwait(&set, got) == 0);
  return NULL;
}

// A signal that the caller blocks reaches the thread of the rank that waits for it.
static void check_waiting_thread(void) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  pthread_t thread;
  volatile int got = 0;
  CHECK(pthread_create(&thread, NULL, wait_for_signal, (void*)&got) == 0);
  for (int i = 0; i < 1000 && !got; ++i) {
    CHECK(kill(getpid(), SIGUSR2) == 0);
    usleep(10000);
  }
  CHECK(got == SIGUSR2 && pthread_join(thread, NULL) == 0);
  signal(SIGUSR2, SIG_IGN);  // what came before the thread has begun to wait
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void check_directory(int rank) {
  char name[64], there[4096];
  snprintf(name, sizeof name, "directory_of_%d", rank);
  mkdir(name, 0777);
  CHECK(chdir(name) == 0);
  umask(rank % 2 ? 077 : 022);
  let_others_run();
  CHECK(getcwd(there, sizeof there) && strcmp(strrchr(there, '/') + 1, name) == 0);
  FILE* file = fopen("file", "w");
  struct stat status;
  CHECK(file && fprintf(file, "%d", rank) > 0 && stat("file", &status) == 0);
  CHECK((status.st_mode & 077) == (rank % 2 ? 0 : 044));
  CHECK(fclose(file) == 0 && unlink("file") == 0 && chdir("..") == 0 && rmdir(name) == 0);
}

static void read_back(const char* name, const char* want) {
  char text[256] = "";
  FILE* file = fopen(name, "r");
  CHECK(file && fread(text, 1, sizeof text - 1, file) > 0);
  CHECK(strcmp(text, want) == 0);
  fclose(file);
  unlink(name);
}

static void check_streams(int rank) {
  char name[64], want[128];
  snprintf(name, sizeof name, "output_of_%d", rank);
  CHECK(fileno(stdout) == 1 && fileno(stderr) == 2);
  fflush(stdout);
  const int kept = dup(1);
  const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0666);
  CHECK(kept > 2 && dup2(file, 1) == 1);
  let_others_run();
  printf("printed by %d\n", rank);
  puts("put");
  putchar('x');
  fflush(stdout);
  CHECK(write(1, "y\n", 2) == 2);
  CHECK(system("echo child") == 0);
  fflush(stdout);
  CHECK(dup2(kept, 1) == 1);
  snprintf(want, sizeof want, "printed by %d\nput\nxy\nchild\n", rank);
  read_back(name, want);
  CHECK(freopen(name, "w", stderr) == stderr);
  errno = ENOENT;
  perror("reason");
  let_others_run();
  fflush(stderr);
  read_back(name, "reason: No such file or directory\n");
  CHECK(fclose(stderr) == 0);
}

static void check_children(int rank) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) exit(40 + rank);
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 40 + rank);
}

extern void* __libc_stack_end;

// As interpreters find out how much of the stack is left: as much as they are told must be there.
static void check_stack(void) {
  char here;
  struct rlimit limit;
  struct rlimit64 limit64;
  pthread_attr_t attributes;
  size_t bytes;
  CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  CHECK(pthread_attr_getstacksize(&attributes, &bytes) == 0 && pthread_attr_destroy(&attributes) == 0);
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0 && getrlimit64(RLIMIT_STACK, &limit64) == 0);
  CHECK(limit.rlim_cur == (bytes < limit.rlim_max ? bytes : limit.rlim_max));
  CHECK(limit64.rlim_cur == limit.rlim_cur && limit.rlim_cur > 2 * 65536);
  CHECK(&here < (char*)__libc_stack_end && (char*)__libc_stack_end - &here < 65536);
  CHECK(*(void**)dlsym(RTLD_DEFAULT, "__libc_stack_end") == __libc_stack_end);
  volatile char* const most = __builtin_alloca(limit.rlim_cur - 2 * 65536);
  most[0] = 1;
  CHECK(most < &here);
}

int main(void) {
  const int rank = my_rank();
  check_strtok(rank);
  check_random(rank);
  check_options(rank);
  check_time(rank);
  check_environment(rank);
  check_small_ones(rank);
  check_hash(rank);
  check_locale(rank);
  check_more(rank);
  check_signals(rank);
  check_waiting_thread();
  check_directory(rank);
  check_children(rank);
  check_streams(rank);
  check_stack();
  printf("rank %d: libc is private\n", rank);
  return 0;
}
