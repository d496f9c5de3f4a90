// video.c: pictures to an MP4 through ffmpeg as a child process; a whole file or none.
//
// ffmpeg writes to the temporary file of file.h, because an MP4 that can be played while it is
// still being loaded needs an output that can be rewound. One thread and no time stamps: the same
// frames give the same bytes.
#include "video.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "gnuplot.h"
#include "message.h"

extern char **environ;

struct video {
  char path[4096];
  file_output *file;
  FILE *log;                   // what ffmpeg says
  pid_t child;
  int input;                   // a pipe to it
  size_t bytes;                // of a frame
};

int video_check(const char *path) {
  char message[512] = "";
  if (!gnuplot_find_program("ffmpeg", NULL, 0))
    return fail(CODE_COMPONENT, "%s needs ffmpeg, which is not on PATH; install it (Debian: apt "
                "install ffmpeg), or write pictures: -o frames_%%04d.png", path);
  const int code = file_check(path, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}

static int spawn(video *what, char *const argv[], int from) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t how;
  sigset_t signals;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&how);
  if (!error) {   // a group of its own: Ctrl-C is for us to handle
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&how, &signals);
    posix_spawnattr_setpgroup(&how, 0);
    error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&actions, fileno(what->log), STDERR_FILENO);
    if (!error)
      error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawnp(&what->child, "ffmpeg", &actions, &how, argv, environ);
    posix_spawnattr_destroy(&how);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static int start(video *what, int32_t width, int32_t height, double fps, const char *name) {
  char size[32], rate[32], output[4200];
  snprintf(size, sizeof size, "%dx%d", (int)width, (int)height);
  snprintf(rate, sizeof rate, "%.10g", fps);
  snprintf(output, sizeof output, "file:%s", name);
  const char *const words[] = {
      "ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24",
      "-s", size, "-r", rate, "-i", "-", "-c:v", "libx264", "-crf", "20",
      "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709",
      "-color_primaries", "bt709", "-color_trc", "bt709", "-pix_fmt", "yuv420p",
      "-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact",
      "-threads", "1", "-f", "mp4", output, NULL};
  char *argv[sizeof words/sizeof *words];
  for (size_t k = 0; k < sizeof words/sizeof *words; k++) argv[k] = (char *)(uintptr_t)words[k];
  int ends[2];
  if (pipe(ends) != 0) return errno;
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  const int error = spawn(what, argv, ends[0]);
  close(ends[0]);
  if (error) close(ends[1]);
  else what->input = ends[1];
  return error;
}

int video_open(const char *path, int32_t width, int32_t height, double fps, video **out) {
  char message[512] = "";
  video *what = calloc(1, sizeof *what);
  if (!what) return fail(CODE_IO, "out of memory");
  what->input = -1;
  what->bytes = 3*(size_t)width*(size_t)height;
  snprintf(what->path, sizeof what->path, "%s", path);
  what->log = tmpfile();
  int code = CODE_OK;
  if (!what->log) code = fail(CODE_IO, "cannot make a temporary file: %s", strerror(errno));
  if (!code) {
    code = file_create(path, &what->file, message, sizeof message);
    if (code) fail(code, "%s", message);
  }
  if (!code && !file_temporary(what->file))
    code = fail(CODE_USAGE, "%s: a video needs a file that can be rewound", path);
  signal(SIGPIPE, SIG_IGN);    // if ffmpeg gives up, writing to it fails
  const int error = code ? 0 : start(what, width, height, fps, file_temporary(what->file));
  if (error) code = fail(CODE_COMPONENT, "cannot start ffmpeg: %s", strerror(error));
  if (code) video_abandon(what);
  else *out = what;
  return code;
}

static int wait_for(video *what) {   // 0: it ended well
  int status = 0;
  if (what->input >= 0) close(what->input);
  what->input = -1;
  if (what->child <= 0) return 0;
  while (waitpid(what->child, &status, 0) < 0 && errno == EINTR) continue;
  what->child = 0;
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// What ffmpeg said, in a line: the first one that it wrote.
static int complain(video *what) {
  char line[400] = "";
  rewind(what->log);
  if (!fgets(line, sizeof line, what->log)) snprintf(line, sizeof line, "the file is cut short");
  line[strcspn(line, "\r\n")] = 0;
  const int encoder = strstr(line, "ncoder") != NULL;
  return fail(encoder ? CODE_COMPONENT : CODE_IO, "%s: ffmpeg failed: %s", what->path, line);
}

// An MP4 is a row of boxes: a size of 4 bytes, big end first, and a name. After a write that failed
// ffmpeg may end as if nothing had happened, with the last box longer than the file.
static int whole(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  unsigned char head[16];
  int index = 0, data = 0;
  fseeko(file, 0, SEEK_END);
  const off_t end = ftello(file);
  off_t at = 0;
  while (at < end && !fseeko(file, at, SEEK_SET) && fread(head, 1, 8, file) == 8) {
    uint64_t size = 0;
    for (int k = 0; k < 4; k++) size = size << 8 | head[k];
    if (size == 1 && fread(head + 8, 1, 8, file) == 8)   // a long one
      for (int k = 8; k < 16; k++) size = (k == 8 ? 0 : size << 8) | head[k];
    if (size < 8 || size > (uint64_t)(end - at)) break;
    index += !memcmp(head + 4, "moov", 4);
    data += !memcmp(head + 4, "mdat", 4);
    at += (off_t)size;
  }
  fclose(file);
  return end > 0 && at == end && index == 1 && data == 1;
}

int video_frame(video *what, const unsigned char *pixel) {
  for (size_t done = 0; done < what->bytes;) {
    const ssize_t part = write(what->input, pixel + done, what->bytes - done);
    if (part > 0) done += (size_t)part;
    else if (part < 0 && errno != EINTR) {
      wait_for(what);
      return complain(what);
    }
  }
  return CODE_OK;
}

int video_close(video *what) {
  char message[512] = "";
  int code = wait_for(what) || !whole(file_temporary(what->file)) ? complain(what) : CODE_OK;
  if (!code) {
    code = file_commit(what->file, message, sizeof message);
    what->file = NULL;
    if (code) fail(code, "%s", message);
  }
  video_abandon(what);
  return code;
}

void video_abandon(video *what) {
  if (!what) return;
  if (what->child > 0) kill(what->child, SIGKILL);
  wait_for(what);
  file_abandon(what->file);
  if (what->log) fclose(what->log);
  free(what);
}
