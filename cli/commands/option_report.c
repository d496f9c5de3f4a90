// option_report.c: the reports of perp option.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "file.h"
#include "message.h"
#include "option_report.h"
#include "report.h"
#include "text.h"

static const char *style_of(const perp_american *o) {
  static const char *const names[] = {"American", "European", "Bermudan"};
  return names[o->exercise];
}

static const char *kind_of(const perp_american *o) {
  return o->kind == PERP_AMERICAN_CALL ? "call" : "put";
}

static double payoff(const perp_american *o) {
  const double gain = o->spot - o->strike;
  return fmax(o->kind == PERP_AMERICAN_CALL ? gain : -gain, 0.0);
}

// ---- for people and programs ----

static void describe(const perp_american *o, char *text, size_t size) {
  text_append(text, size, "%s %s, S0 = %g, K = %g, r = %g, sigma = %g, T = %g", style_of(o),
              kind_of(o), o->spot, o->strike, o->rate, o->volatility, o->maturity);
  if (o->dividend != 0.0) text_append(text, size, ", q = %g", o->dividend);
  if (o->exercise == PERP_EXERCISE_BERMUDAN)
    text_append(text, size, ", %d %s", (int)o->date_count, o->date_count == 1 ? "date" : "dates");
}

// The boundary today, or its other side: the first entry, where exercise today is possible.
static double today(const option_answer *what, const double *boundary) {
  const perp_american_result *r = what->result;
  return r->boundary_count > 0 && r->boundary_time[0] <= 1e-12*what->option->maturity
             ? boundary[0] : (double)NAN;
}

// "up to 32.9" or, where the exercise region has two ends, "from 40.4 to 68.3"
static void region(const option_answer *what, const char *name, int digits, char *text,
                   size_t size) {
  const double edge = today(what, what->result->boundary_spot),
               other = today(what, what->result->boundary_other);
  const int call = what->option->kind == PERP_AMERICAN_CALL;
  *text = 0;
  if (other > 0.0 && isfinite(other))
    text_append(text, size, "from %s%.*g to %.*g", name, digits, fmin(edge, other), digits,
                fmax(edge, other));
  else text_append(text, size, "%s %s%.*g", call ? "from" : "up to", name, digits, edge);
}

static void report_people(const option_answer *what) {
  const perp_american *o = what->option;
  const perp_american_result *r = what->result;
  char text[256] = "";
  describe(o, text, sizeof text);
  report_line("option", "%s", text);
  text_buffer time;
  if (isnan(r->error)) report_line("price", "%.7g on this grid alone", r->price);
  else report_line("price", "%.7g +- %.1e (%.7g on the grid, %.7g on half of it)", r->price,
                   r->error, r->fine, r->coarse);
  if (isnan(r->vega))
    report_line("Greeks", "delta %.5g, gamma %.5g, theta %.5g a year", r->delta, r->gamma,
                r->theta);
  else
    report_line("Greeks", "delta %.5g, gamma %.5g, theta %.5g a year, vega %.5g, rho %.5g",
                r->delta, r->gamma, r->theta, r->vega, r->rho);
  if (o->exercise != PERP_EXERCISE_EUROPEAN)
    report_line("European", "%.7g: early exercise is worth %.4g", perp_american_european(o),
                fmax(r->price - perp_american_european(o), 0.0));
  const double edge = today(what, r->boundary_spot);
  if (r->price <= payoff(o) && payoff(o) > 0.0 && o->exercise == PERP_EXERCISE_AMERICAN)
    report_line("exercise", "now: the option is worth what it pays");
  if (edge == edge) {
    region(what, "S = ", 6, text, sizeof text);
    report_line("boundary", "exercise today %s", text);
  }
  snprintf(text, sizeof text, "%lld not solved", (long long)r->unsolved);
  if (r->solves > 0)
    report_line("grid", "%d x %d, %lld steps by %s, %s: residual at most %.1e, %s",
                (int)r->nodes, (int)r->steps, (long long)r->solves, what->method->name,
                r->unsolved > 0 ? text : "all certified", r->residual,
                text_seconds(what->seconds, &time));
  else
    report_line("grid", "none is needed: there is no noise, or it is too far away to matter");
}

static void report_program(const option_answer *what, json_t *object) {
  const perp_american *o = what->option;
  const perp_american_result *r = what->result;
  const struct { const char *name; double value; } numbers[] = {
      {"S0", o->spot}, {"K", o->strike}, {"r", o->rate}, {"q", o->dividend},
      {"sigma", o->volatility}, {"T", o->maturity}, {"price", r->price}, {"error", r->error},
      {"delta", r->delta}, {"gamma", r->gamma}, {"theta", r->theta}, {"vega", r->vega},
      {"rho", r->rho}, {"european", perp_american_european(o)},
      {"boundary", today(what, r->boundary_spot)},
      {"boundary_other", today(what, r->boundary_other)},
      {"price_on_grid", r->fine}, {"price_on_half_grid", isnan(r->error) ? NAN : r->coarse},
      {"residual", r->residual}, {"seconds", what->seconds}};
  const struct { const char *name; int64_t value; } counts[] = {
      {"n", r->nodes - 1}, {"nodes", r->nodes}, {"steps", r->steps}, {"solves", r->solves},
      {"unsolved", r->unsolved}, {"iterations", r->iterations},
      {"factorizations", r->factorizations}, {"dates", o->date_count}};
  json_object_set_new(object, "status", json_text(r->unsolved > 0 ? "unsolved" : "solved"));
  json_object_set_new(object, "option", json_text(kind_of(o)));
  json_object_set_new(object, "exercise", json_text(style_of(o)));
  json_object_set_new(object, "method", json_text(what->method->name));
  for (size_t k = 0; k < sizeof numbers/sizeof *numbers; k++)
    json_object_set_new(object, numbers[k].name, json_number(numbers[k].value));
  for (size_t k = 0; k < sizeof counts/sizeof *counts; k++)
    json_object_set_new(object, counts[k].name, json_integer(counts[k].value));
  json_object_set_new(object, "message", json_text(r->message));
}

void option_report(const option_answer *what) {
  if (message_object()) report_program(what, message_object());
  else report_people(what);
}

// ---- tables ----

static void put_line(file_output *file, const double *value, int count) {
  char line[160] = "";
  for (int i = 0; i < count; i++) {
    text_append(line, sizeof line, i > 0 ? "\t" : "");
    if (isnan(value[i])) text_append(line, sizeof line, "nan");
    else text_append(line, sizeof line, "%.12g", value[i]);
  }
  text_append(line, sizeof line, "\n");
  file_write(file, line, strlen(line));
}

static void put_text(file_output *file, const char *text) { file_write(file, text, strlen(text)); }

int option_write(const option_answer *what, const char *path) {
  const perp_american_result *r = what->result;
  char message[512] = "", text[256] = "";
  file_output *file;
  int code = file_create(path, &file, message, sizeof message);
  if (code) return fail(code, "%s", message);
  describe(what->option, text, sizeof text);
  put_text(file, "# ");
  put_text(file, text);
  put_text(file, "\n# the value today\nS\tvalue\tpayoff\n");
  for (int32_t i = 0; i < r->curve_count; i++)
    put_line(file, (double[]){r->curve_spot[i], r->curve_value[i], r->curve_payoff[i]}, 3);
  put_text(file, "\n\n# the exercise boundary, from now to maturity\ntime\tS\tother\n");
  for (int32_t i = 0; i < r->boundary_count; i++)
    put_line(file, (double[]){r->boundary_time[i], r->boundary_spot[i], r->boundary_other[i]}, 3);
  code = file_commit(file, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}

// ---- pictures ----

const char *option_boundary_path(const char *path, char *out, size_t size) {
  const char *dot = strrchr(path, '.');
  const int stem = dot ? (int)(dot - path) : (int)strlen(path);
  snprintf(out, size, "%.*s-boundary%s", stem, path, dot ? dot : "");
  return out;
}

// What is worth seeing of the grid: three standard deviations around strike and spot.
static void window(const perp_american *o, double *low, double *high) {
  const double noise = fmin(3.0*o->volatility*sqrt(o->maturity), 3.0);
  *low = fmin(o->strike, o->spot)*exp(-noise);
  *high = fmax(o->strike, o->spot)*exp(noise);
}

static int plot_value(const option_answer *what, const char *path, const char *title) {
  const perp_american *o = what->option;
  const perp_american_result *r = what->result;
  double low, high, most = 0.0;
  window(o, &low, &high);
  int32_t first = 0, end = r->curve_count;
  while (first < end && r->curve_spot[first] < low) first++;
  while (end > first && r->curve_spot[end - 1] > high) end--;
  for (int32_t i = first; i < end; i++) most = fmax(most, r->curve_value[i]);
  char text[64], range[64], edge_text[80];
  snprintf(text, sizeof text, "price %.5g", r->price);
  const chart_curve curve[] = {
      {.name = "value", .x = r->curve_spot + first, .y = r->curve_value + first,
       .count = end - first, .style = CHART_LINE, .colour = CHART_BLUE},
      {.name = "payoff", .x = r->curve_spot + first, .y = r->curve_payoff + first,
       .count = end - first, .style = CHART_DASHED, .colour = CHART_GREY},
      {.name = text, .x = &o->spot, .y = &r->price, .count = 1, .style = CHART_POINTS,
       .colour = CHART_ORANGE}};
  const double edge = today(what, r->boundary_spot), other = today(what, r->boundary_other);
  const int shown = edge > low && edge < high;
  region(what, "", 5, range, sizeof range);
  snprintf(edge_text, sizeof edge_text, "exercise %s", range);
  const chart_mark mark[] = {{.kind = CHART_VERTICAL, .x = edge, .text = edge_text},
                             {.kind = CHART_VERTICAL, .x = other}};
  return chart_write(&(chart){.path = path, .title = title,
                              .x = {.label = "S", .low = low, .high = high},
                              .y = {.label = "value today", .low = 0.0, .high = 1.05*most},
                              .curve = curve, .curves = 3, .mark = mark,
                              .marks = shown + (shown && other > low && other < high),
                              .empty = "no grid is needed for this option"});
}

static int plot_boundary(const option_answer *what, const char *path, const char *title) {
  const perp_american *o = what->option;
  const perp_american_result *r = what->result;
  int other = 0;
  double low = o->strike, high = o->strike;
  for (int32_t i = 0; i < r->boundary_count; i++) {
    other |= r->boundary_other[i] > 0.0;
    low = fmin(low, fmin(r->boundary_spot[i], r->boundary_other[i]));   // not NAN if one is not
    high = fmax(high, fmax(r->boundary_spot[i], r->boundary_other[i]));
  }
  const double room = 0.2*fmax(high - low, 0.05*o->strike);   // for the legend
  const chart_style style = o->exercise == PERP_EXERCISE_BERMUDAN ? CHART_POINTS : CHART_LINE;
  const chart_curve curve[] = {
      {.name = o->kind == PERP_AMERICAN_CALL ? "exercise from here upwards"
                                           : "exercise from here downwards",
       .x = r->boundary_time, .y = r->boundary_spot, .count = r->boundary_count, .style = style,
       .colour = CHART_BLUE},
      {.name = "but not beyond", .x = r->boundary_time, .y = r->boundary_other,
       .count = r->boundary_count, .style = style, .colour = CHART_ORANGE}};
  char text[48];
  snprintf(text, sizeof text, "strike %g", o->strike);
  const chart_mark mark = {.kind = CHART_HORIZONTAL, .y = o->strike, .text = text};
  return chart_write(&(chart){.path = path, .title = title,
                              .x = {.label = "time from now, years", .low = 0.0,
                                    .high = o->maturity > 0.0 ? o->maturity : 1.0},
                              .y = {.label = "S at the boundary", .low = low - 0.3*room,
                                    .high = high + room},
                              .curve = curve,
                              .curves = other ? 2 : 1, .mark = &mark, .marks = 1,
                              .empty = "never exercised early"});
}

int option_plot(const option_answer *what, const char *path) {
  char title[256] = "", second[4096];
  describe(what->option, title, sizeof title);
  const int code = plot_value(what, path, title);
  return code ? code : plot_boundary(what, option_boundary_path(path, second, sizeof second),
                                     title);
}
