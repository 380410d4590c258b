/*
 * Preloaded into the service. It records writes and syncs of the files of one folder, so that a test can revert unsynced writes after a SIGKILL:
 * those a loss of power may lose (safety, B6). Creating, renaming and removing a file count as durable.
 *
 * UNSYNCED_FOLDER  the folder, absolute
 * UNSYNCED_RECORD  the file of the record, outside the folder
 * UNSYNCED_DEAF    if set, ignores syncs of a write-ahead log, as under synchronous=NORMAL
 *
 * A record: kind (1 byte), number (8), upTo (8), offset (8), old size (8), length of the path, of the old and of the new bytes (4 each); then these three.
 * Kind `w` is a write, `t` a truncation to `offset`, `s` a sync of all records of the path up to number `upTo`. Numbers have this machine's byte order.
 * A write is recorded before it happens, a sync after it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record = -2;
static uint64_t number = 0;

#define REAL(name) \
  static __typeof__(name) *real = NULL; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static ssize_t plain_write(int fd, const void *bytes, size_t size) {
  REAL(write);
  return real(fd, bytes, size);
}

static void link_of(int fd, char link[64]) {
  char digits[16];
  size_t at = 0, length = strlen("/proc/self/fd/");
  memcpy(link, "/proc/self/fd/", length);
  do { digits[at++] = (char)('0' + fd % 10); fd /= 10; } while (fd > 0);
  while (at > 0) link[length++] = digits[--at];
  link[length] = '\0';
}

/* Returns 0 if the file is not in the folder. */
static int path_of(int fd, char path[PATH_MAX]) {
  const char *folder = getenv("UNSYNCED_FOLDER");
  char link[64];
  if (folder == NULL || fd < 0 || fd == record) return 0;
  link_of(fd, link);
  ssize_t size = readlink(link, path, PATH_MAX - 1);
  if (size <= 0) return 0;
  path[size] = '\0';
  size_t within = strlen(folder);
  return strncmp(path, folder, within) == 0 && path[within] == '/';
}

static void keep(char kind, uint64_t up_to, const char *path, uint64_t offset, uint64_t old_size, const void *old, uint32_t old_length, const void *fresh, uint32_t fresh_length) {
  if (record == -2) {
    const char *name = getenv("UNSYNCED_RECORD");
    record = name == NULL ? -1 : open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  uint32_t path_length = (uint32_t)strlen(path);
  size_t size = 1 + 8 * 4 + 4 * 3 + (size_t)path_length + old_length + fresh_length;
  char *bytes = malloc(size);
  if (record < 0 || bytes == NULL) abort();
  char *to = bytes;
  uint64_t own = ++number;
  *to++ = kind;
  memcpy(to, &own, 8); to += 8;
  memcpy(to, &up_to, 8); to += 8;
  memcpy(to, &offset, 8); to += 8;
  memcpy(to, &old_size, 8); to += 8;
  memcpy(to, &path_length, 4); to += 4;
  memcpy(to, &old_length, 4); to += 4;
  memcpy(to, &fresh_length, 4); to += 4;
  memcpy(to, path, path_length); to += path_length;
  if (old_length > 0) memcpy(to, old, old_length);
  to += old_length;
  if (fresh_length > 0) memcpy(to, fresh, fresh_length);
  if (plain_write(record, bytes, size) != (ssize_t)size) abort();
  free(bytes);
}

static uint64_t size_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? (uint64_t)found.st_size : 0;
}

static char *read_old(int fd, uint64_t offset, size_t size, uint32_t *length) {
  REAL(pread);
  /* A write-only file is read by another descriptor. */
  char link[64];
  link_of(fd, link);
  int reading = open(link, O_RDONLY | O_CLOEXEC);
  char *old = malloc(size > 0 ? size : 1);
  if (old == NULL || reading < 0) abort();
  ssize_t got = real(reading, old, size, (off_t)offset);
  close(reading);
  *length = got < 0 ? 0 : (uint32_t)got;
  return old;
}

static void before_write(int fd, const char *path, uint64_t offset, const void *bytes, size_t size) {
  uint32_t length;
  char *old = read_old(fd, offset, size, &length);
  keep('w', 0, path, offset, size_of(fd), old, length, bytes, (uint32_t)size);
  free(old);
}

static ssize_t positioned(int fd, const void *bytes, size_t size, off_t offset) {
  REAL(pwrite);
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real(fd, bytes, size, offset);
  pthread_mutex_lock(&lock);
  before_write(fd, path, (uint64_t)offset, bytes, size);
  ssize_t wrote = real(fd, bytes, size, offset);
  pthread_mutex_unlock(&lock);
  return wrote;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return positioned(fd, bytes, size, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) { return positioned(fd, bytes, size, offset); }

ssize_t write(int fd, const void *bytes, size_t size) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return plain_write(fd, bytes, size);
  pthread_mutex_lock(&lock);
  int flags = fcntl(fd, F_GETFL);
  uint64_t offset = (flags & O_APPEND) != 0 ? size_of(fd) : (uint64_t)lseek(fd, 0, SEEK_CUR);
  before_write(fd, path, offset, bytes, size);
  ssize_t wrote = plain_write(fd, bytes, size);
  pthread_mutex_unlock(&lock);
  return wrote;
}

static int cut(int fd, off_t size) {
  REAL(ftruncate);
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real(fd, size);
  pthread_mutex_lock(&lock);
  uint64_t old_size = size_of(fd);
  uint32_t length = 0;
  char *old = old_size > (uint64_t)size ? read_old(fd, (uint64_t)size, (size_t)(old_size - (uint64_t)size), &length) : NULL;
  keep('t', 0, path, (uint64_t)size, old_size, old, length, NULL, 0);
  free(old);
  int result = real(fd, size);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }

static int is_deaf_to(const char *path) {
  size_t length = strlen(path);
  return getenv("UNSYNCED_DEAF") != NULL && length > 4 && strcmp(path + length - 4, "-wal") == 0;
}

static int synced(int fd, int (*sync)(int)) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return sync(fd);
  pthread_mutex_lock(&lock);
  uint64_t up_to = number;
  pthread_mutex_unlock(&lock);
  int result = sync(fd);
  if (result != 0 || is_deaf_to(path)) return result;
  pthread_mutex_lock(&lock);
  keep('s', up_to, path, 0, 0, NULL, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { REAL(fsync); return synced(fd, real); }
int fdatasync(int fd) { REAL(fdatasync); return synced(fd, real); }

/* Mapped and other writes cannot be reverted; the service writes no durable file that way. */
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  REAL(pwritev);
  char path[PATH_MAX];
  if (path_of(fd, path)) abort();
  return real(fd, parts, count, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  char path[PATH_MAX];
  if (path_of(fd, path)) abort();
  return real(fd, parts, count);
}
