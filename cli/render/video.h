// video.h: pictures to an MP4 through ffmpeg as a child process; a whole file or none.
#pragma once

#include <stdint.h>

typedef struct video video;

// Before long work: 0, or an exit code after having said what is missing.
int video_check(const char *path);

// Frames of 3 width height bytes, sRGB; width and height are even. They say what is wrong.
int video_open(const char *path, int32_t width, int32_t height, double fps, video **out);
int video_frame(video *what, const unsigned char *pixel);
int video_close(video *what);      // the file appears under its name
void video_abandon(video *what);   // nothing does; NULL is fine
