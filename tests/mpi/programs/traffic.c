// SPDX-License-Identifier: Apache-2.0
// Random traffic: every rank knows who sends what to whom, sends its part in random order and mode, and
// receives its part with or without wildcards; contents, lengths and the order per source and tag are
// checked.
#include "check.h"

enum { rounds = 30, most_messages = 400, most_bytes = 40000, tags = 3 };

struct message {
  int from, to, tag, bytes, number;
};
static struct message messages[most_messages];

static unsigned char content(const struct message* message, int i) {
  return (unsigned char)(message->from * 7 + message->to * 13 + message->tag * 31 + message->number * 17 + i);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  unsigned long long shared = 20261121;
  char* in = malloc(most_bytes);
  for (int round = 0; round < rounds; ++round) {
    const int count = (int)(next_random(&shared) % most_messages) + 1;
    for (int k = 0; k < count; ++k) {
      const unsigned kind = next_random(&shared) % 10;
      const int bytes = (int)(next_random(&shared) % (kind < 6 ? 100 : kind < 9 ? 3000 : most_bytes));
      messages[k] = (struct message){(int)(next_random(&shared) % (unsigned)ranks),
                                     (int)(next_random(&shared) % (unsigned)ranks),
                                     (int)(next_random(&shared) % tags), bytes, k};
    }
    MPI_Request* requests = malloc(sizeof *requests * (size_t)count);
    unsigned char** data = calloc((size_t)count, sizeof *data);
    int sent = 0, expected = 0;
    for (int k = 0; k < count; ++k) {
      expected += messages[k].to == rank;
      if (messages[k].from != rank) continue;
      data[sent] = malloc((size_t)messages[k].bytes + 1);
      for (int i = 0; i < messages[k].bytes; ++i) data[sent][i] = content(&messages[k], i);
      if (k % 5 == 0) {
        MPI_Issend(data[sent], messages[k].bytes, MPI_BYTE, messages[k].to, messages[k].tag, MPI_COMM_WORLD,
                   &requests[sent]);
      } else {
        MPI_Isend(data[sent], messages[k].bytes, MPI_BYTE, messages[k].to, messages[k].tag, MPI_COMM_WORLD,
                  &requests[sent]);
      }
      ++sent;
    }
    for (; expected > 0; --expected) {
      MPI_Status status;
      if (expected % 3 == 0) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(in, most_bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
      } else {
        MPI_Recv(in, most_bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      }
      /* The first message from there with this tag that has not come yet. */
      struct message* next = NULL;
      for (int k = 0; k < count && next == NULL; ++k) {
        if (messages[k].to == rank && messages[k].from == status.MPI_SOURCE &&
            messages[k].tag == status.MPI_TAG)
          next = &messages[k];
      }
      CHECK(next != NULL);
      count_type bytes;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      CHECK(bytes == next->bytes);
      for (int i = 0; i < bytes; ++i) CHECK((unsigned char)in[i] == content(next, i));
      next->to = -1;
    }
    MPI_Waitall(sent, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < sent; ++k) free(data[k]);
    free(data);
    free(requests);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(in);
  return end("traffic");
}
