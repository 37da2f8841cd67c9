/* Writes a workbook with libxlsxwriter's mode of constant memory, level 6, as often as it is told to: the native peer of the
   table of workbooks. Arguments: the cells, and the file to write. For each line on standard input it writes the workbook and
   answers its processor time in microseconds. How cells lie in their file is said in native-peers.ts, which makes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <xlsxwriter.h>

static char *cells;

static unsigned number_at(char **at) {
  unsigned value;
  memcpy(&value, *at, sizeof value);
  *at += sizeof value;
  return value;
}

static long processor_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static int write_workbook(const char *file) {
  lxw_workbook_options options = {.constant_memory = LXW_TRUE};
  lxw_workbook *workbook = workbook_new_opt(file, &options);
  lxw_worksheet *sheet = workbook_add_worksheet(workbook, "Records");
  lxw_format *formats[] = {NULL, workbook_add_format(workbook), workbook_add_format(workbook)};
  format_set_num_format(formats[1], "yyyy-mm-dd");
  format_set_num_format(formats[2], "yyyy-mm-dd hh:mm:ss");
  worksheet_freeze_panes(sheet, 1, 0);
  char *at = cells;
  unsigned rows = number_at(&at), columns = number_at(&at);
  for (unsigned row = 0; row < rows; row++) {
    for (unsigned column = 0; column < columns; column++) {
      char kind = *at++;
      double number;
      if (kind == 'n' || kind == 'd' || kind == 't') {
        memcpy(&number, at, sizeof number);
        at += sizeof number;
        worksheet_write_number(sheet, row, column, number, formats[kind == 'n' ? 0 : kind == 'd' ? 1 : 2]);
      } else if (kind == 'b') {
        worksheet_write_boolean(sheet, row, column, *at++, NULL);
      } else if (kind == 's') {
        unsigned length = number_at(&at);
        worksheet_write_string(sheet, row, column, at, NULL);
        at += length + 1;
      }
    }
  }
  return workbook_close(workbook);
}

int main(int count, char **arguments) {
  FILE *input = count == 3 ? fopen(arguments[1], "rb") : NULL;
  if (input == NULL) return 2;
  fseek(input, 0, SEEK_END);
  long size = ftell(input);
  rewind(input);
  cells = malloc(size);
  if (cells == NULL || fread(cells, 1, size, input) != (size_t)size) return 2;
  fclose(input);
  for (char line[16]; fgets(line, sizeof line, stdin) != NULL;) {
    long before = processor_us();
    if (write_workbook(arguments[2]) != LXW_NO_ERROR) return 1;
    printf("%ld\n", processor_us() - before);
    fflush(stdout);
  }
  return 0;
}
