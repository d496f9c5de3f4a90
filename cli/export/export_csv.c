// export_csv.c: tables: a row per frame and body, per contact, or per step.
#include "export.h"

static void put_float(byte_file *out, float value) {
  text_buffer text;
  byte_file_text(out, ",%s", byte_file_float_text(value, &text));
}

static void put_three(byte_file *out, const float value[3]) {
  for (int c = 0; c < 3; c++) put_float(out, value[c]);
}

static void put_bodies(export_job *job, byte_file *out) {
  const drawing *from = &job->drawing;
  const recording_head *head = &from->recording.head;
  text_buffer time;
  byte_file_number_text(export_time(job), &time);
  for (int32_t k = 0; k < head->moving; k++) {
    byte_file_text(out, "%lld,%s,%d", (long long)from->frame, time.text, (int)head->mover[k]);
    for (int c = 0; c < RECORD_COMPONENTS; c++)
      put_float(out, record_frame(from->now, c, from->within)[k]);
    byte_file_text(out, "\n");
    job->rows++;
  }
}

static void put_contacts(export_job *job, byte_file *out) {
  uint32_t count;
  text_buffer time;
  const record_touch *touch = export_touches(job, &count);
  byte_file_number_text(export_time(job), &time);
  for (uint32_t k = 0; k < count; k++, touch++) {
    byte_file_text(out, "%lld,%s,%lu,%lu", (long long)job->drawing.frame, time.text,
                   (unsigned long)touch->a, (unsigned long)touch->b);
    put_three(out, touch->point);
    put_three(out, touch->normal);
    put_float(out, touch->gap);
    put_three(out, touch->impulse);
    byte_file_text(out, ",%d\n", (touch->flags & RECORD_UNSOLVED) != 0);
    job->rows++;
  }
}

static void put_steps(export_job *job, byte_file *out) {
  const record_steps *steps = &job->drawing.statistics;
  const int times = job->drawing.times;
  int64_t first;
  job->rows = export_rows(job, &first);
  for (int c = 0; c < RECORD_COLUMNS; c++)
    byte_file_text(out, "%s%s", c ? "," : "", record_column_name[c]);
  byte_file_text(out, "%s\n", times ? ",seconds" : "");
  for (int64_t r = first; r < first + job->rows; r++) {
    text_buffer text;
    for (size_t c = 0; c < RECORD_COLUMNS; c++)
      byte_file_text(out, "%s%s", c ? "," : "",
                     byte_file_number_text(steps->column[c*steps->room + (size_t)r], &text));
    if (times) byte_file_text(out, ",%s", byte_file_number_text(steps->seconds[r], &text));
    byte_file_text(out, "\n");
  }
}

int export_csv(export_job *job) {
  byte_file out;
  int code = byte_file_open(&out, job->path);
  if (code) return code;
  if (job->what == EXPORT_STEPS) put_steps(job, &out);
  else if (job->what == EXPORT_BODIES)
    byte_file_text(&out, "frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
  else byte_file_text(&out, "frame,time,a,b,px,py,pz,nx,ny,nz,gap,jx,jy,jz,unsolved\n");
  for (int64_t k = 0; k < job->frames && !code && job->what != EXPORT_STEPS; k++) {
    code = export_frame(job, k);
    if (code) break;
    if (job->what == EXPORT_BODIES) put_bodies(job, &out);
    else put_contacts(job, &out);
    export_progress(job);
  }
  if (!code) return byte_file_close(&out, job);
  byte_file_abandon(&out);
  return code;
}
