/* Makes calls of the C library that change files fail, in the folder that a program names; see fault_shim.py.
 *
 * It is loaded before the C library (LD_PRELOAD), so that Python, SQLite, Arrow and FFmpeg all call it. Calls are
 * counted from when a fault is armed; the call of the armed number fails, and with `lasting` those after it, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, CREATE, WRITE, SYNC, RENAME, TRUNCATE, REMOVE, FOLDER, KINDS };

#define MOST_FILES 65536
#define MOST_CALLS 65536

static char folder[4096];
static size_t folder_length;
static atomic_char watched[MOST_FILES]; /* by file descriptor: whether it is a file of the folder */
static atomic_long calls;
static char kind_of_call[MOST_CALLS];
static atomic_int armed;
static long failing_call;
static int failing_error, failing_kinds, lasting, cuts;

/* Counts calls that change files of a folder from now on, and makes call number `call` fail with `error`; 0 makes none
 * fail. `kinds` are those that a lasting fault makes fail, one bit each. With `cut`, the call, a write, writes half. */
void faults_arm(const char *path, long call, int error, int kinds, int is_lasting, int cut)
{
    folder_length = strlen(path);
    memcpy(folder, path, folder_length + 1);
    failing_call = call;
    failing_error = error;
    failing_kinds = kinds;
    lasting = is_lasting;
    cuts = cut;
    calls = 0;
    armed = 1;
}

/* Stops counting and failing; the number of calls since it was armed. */
long faults_disarm(void)
{
    armed = 0;
    return calls;
}

int faults_kind(long call)
{
    return call >= 1 && call < MOST_CALLS ? kind_of_call[call] : -1;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) \
        real = (__typeof__(&name))next(#name)

static int is_inside(int at, const char *path)
{
    if (!armed || !path)
        return 0;
    if (path[0] == '/')
        return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
    return at >= 0 && at < MOST_FILES && watched[at];
}

static int is_watched(int file)
{
    return armed && file >= 0 && file < MOST_FILES && watched[file];
}

static int keep(int file, int is_ours)
{
    if (file >= 0 && file < MOST_FILES)
        watched[file] = is_ours;
    return file;
}

/* Whether a call is to be failed: its error, -1 for a write that is to be cut, or 0. */
static int fault(enum kind kind)
{
    long call = ++calls;
    if (call < MOST_CALLS)
        kind_of_call[call] = kind;
    if (failing_call && call == failing_call)
        return cuts ? -1 : failing_error;
    if (failing_call && lasting && call > failing_call && (failing_kinds >> kind & 1))
        return failing_error;
    return 0;
}

#define FAIL_IF(is_ours, kind, result) \
    do { \
        int error_ = (is_ours) ? fault(kind) : 0; \
        if (error_) { \
            errno = error_ > 0 ? error_ : EIO; \
            return result; \
        } \
    } while (0)

static enum kind open_kind(int flags)
{
    return (flags & O_CREAT) ? CREATE : OPEN;
}

#define OPEN_BODY(name, at, path, ...) \
    REAL(name); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    } \
    int ours = is_inside(at, path); \
    FAIL_IF(ours, open_kind(flags), -1); \
    return keep(real(__VA_ARGS__, flags, mode), ours)

int open(const char *path, int flags, ...)
{
    OPEN_BODY(open, -1, path, path);
}
int open64(const char *path, int flags, ...)
{
    OPEN_BODY(open64, -1, path, path);
}
int openat(int at, const char *path, int flags, ...)
{
    OPEN_BODY(openat, at, path, at, path);
}
int openat64(int at, const char *path, int flags, ...)
{
    OPEN_BODY(openat64, at, path, at, path);
}
/* What programs compiled with checks call where no file can be created. */
int __open_2(const char *path, int flags)
{
    return open(path, flags);
}
int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}
int __openat_2(int at, const char *path, int flags)
{
    return openat(at, path, flags);
}
int __openat64_2(int at, const char *path, int flags)
{
    return openat64(at, path, flags);
}
int creat(const char *path, mode_t mode)
{
    return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

#define FOPEN_BODY(name) \
    REAL(name); \
    int ours = is_inside(-1, path); \
    FAIL_IF(ours, strpbrk(mode, "wa") ? CREATE : OPEN, NULL); \
    FILE *stream = real(path, mode); \
    if (stream) \
        keep(fileno(stream), ours); \
    return stream

FILE *fopen(const char *path, const char *mode)
{
    FOPEN_BODY(fopen);
}
FILE *fopen64(const char *path, const char *mode)
{
    FOPEN_BODY(fopen64);
}

int close(int file)
{
    REAL(close);
    keep(file, 0);
    return real(file);
}
int dup(int file)
{
    REAL(dup);
    return keep(real(file), is_watched(file));
}
int dup2(int file, int other)
{
    REAL(dup2);
    return keep(real(file, other), is_watched(file));
}
int dup3(int file, int other, int flags)
{
    REAL(dup3);
    return keep(real(file, other, flags), is_watched(file));
}

#define WRITE_BODY(name, size, ...) \
    REAL(name); \
    int error = is_watched(file) ? fault(WRITE) : 0; \
    if (error > 0 || (error && size < 2)) { \
        errno = error > 0 ? error : EIO; \
        return -1; \
    } \
    if (error) \
        size /= 2; \
    return real(__VA_ARGS__)

ssize_t write(int file, const void *data, size_t size)
{
    WRITE_BODY(write, size, file, data, size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    WRITE_BODY(pwrite, size, file, data, size, at);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at)
{
    WRITE_BODY(pwrite64, size, file, data, size, at);
}
/* A cut one writes the first half of its parts. */
ssize_t writev(int file, const struct iovec *parts, int size)
{
    WRITE_BODY(writev, size, file, parts, size);
}
ssize_t pwritev(int file, const struct iovec *parts, int size, off_t at)
{
    WRITE_BODY(pwritev, size, file, parts, size, at);
}
ssize_t pwritev64(int file, const struct iovec *parts, int size, off64_t at)
{
    WRITE_BODY(pwritev64, size, file, parts, size, at);
}
ssize_t sendfile(int file, int from, off_t *at, size_t size)
{
    WRITE_BODY(sendfile, size, file, from, at, size);
}
ssize_t sendfile64(int file, int from, off64_t *at, size_t size)
{
    WRITE_BODY(sendfile64, size, file, from, at, size);
}
ssize_t copy_file_range(int from, off64_t *from_at, int file, off64_t *at, size_t size, unsigned flags)
{
    WRITE_BODY(copy_file_range, size, from, from_at, file, at, size, flags);
}

#define SIMPLE(name, parameters, arguments, is_ours, kind) \
    int name parameters \
    { \
        REAL(name); \
        FAIL_IF(is_ours, kind, -1); \
        return real arguments; \
    }

SIMPLE(fsync, (int file), (file), is_watched(file), SYNC)
SIMPLE(fdatasync, (int file), (file), is_watched(file), SYNC)
SIMPLE(ftruncate, (int file, off_t size), (file, size), is_watched(file), TRUNCATE)
SIMPLE(ftruncate64, (int file, off64_t size), (file, size), is_watched(file), TRUNCATE)
SIMPLE(truncate, (const char *path, off_t size), (path, size), is_inside(-1, path), TRUNCATE)
SIMPLE(truncate64, (const char *path, off64_t size), (path, size), is_inside(-1, path), TRUNCATE)
SIMPLE(fallocate, (int file, int mode, off_t at, off_t size), (file, mode, at, size), is_watched(file), WRITE)
SIMPLE(fallocate64, (int file, int mode, off64_t at, off64_t size), (file, mode, at, size), is_watched(file), WRITE)
SIMPLE(rename, (const char *from, const char *to), (from, to), is_inside(-1, to), RENAME)
SIMPLE(renameat, (int from_at, const char *from, int at, const char *to), (from_at, from, at, to), is_inside(at, to),
       RENAME)
SIMPLE(renameat2, (int from_at, const char *from, int at, const char *to, unsigned flags),
       (from_at, from, at, to, flags), is_inside(at, to), RENAME)
SIMPLE(link, (const char *from, const char *to), (from, to), is_inside(-1, to), CREATE)
SIMPLE(symlink, (const char *from, const char *to), (from, to), is_inside(-1, to), CREATE)
SIMPLE(unlink, (const char *path), (path), is_inside(-1, path), REMOVE)
SIMPLE(unlinkat, (int at, const char *path, int flags), (at, path, flags), is_inside(at, path), REMOVE)
SIMPLE(rmdir, (const char *path), (path), is_inside(-1, path), REMOVE)
SIMPLE(mkdir, (const char *path, mode_t mode), (path, mode), is_inside(-1, path), FOLDER)
SIMPLE(mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), is_inside(at, path), FOLDER)
