// SPDX-License-Identifier: Apache-2.0
// Who executes which iteration, for every affinity; silent under the usual warnings; the same with and without
// optimisation.
// RUN: %parallelc -O0 -Wall -Wextra -Wshadow -pedantic -Werror -std=gnu11 %s %runtime -o %t.0
// RUN: %parallelc -O2 -Wall -Wextra -Wshadow -pedantic -Werror -std=c11 %s %runtime -o %t.2
// RUN: P=3 %t.0 > %t.0.txt && %check %s < %t.0.txt
// RUN: P=3 %t.2 > %t.2.txt && cmp %t.0.txt %t.2.txt
// RUN: P=1 %t.2 | %check %s --check-prefix=ONE
// RUN: P=40 %t.2 | %check %s --check-prefix=MANY
#include "owners.h"

struct node {
  int value;
  struct node *next;
};

void process_main(void) {
  forall (int i = 0; i < 10; i++; BLOCK; CCC_ALL) take(i);
  show("block", 10);
  // CHECK: block 0: 0:0 1:0 2:0 3:0{{$}}
  // ONE: block 0: 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:0 9:0
  // MANY: block 0: 0:0{{$}}

  forall (int i = 9; i >= 0; --i; BLOCK; CCC_NODE) take(i);
  show("down", 10);
  // CHECK: down 0: 6:0 7:0 8:0 9:0{{$}}

  forall (int i = 0; i < 20; i += 2; BLOCK(2); CCC_BNODE) {
    if (i == 12) continue;
    take(i);
  }
  show("deal", 20);
  // CHECK: deal 0: 0:0 2:0 14:0{{$}}

  forall (int i = 0; 10 != i; i++; -i; CCC_SNODE) take(i);
  show("negative", 10);
  // CHECK: negative 0: 0:0 3:0 6:0 9:0{{$}}

  struct node list[5];
  for (int i = 0; i < 5; i++) list[i] = (struct node){i, i < 4 ? &list[i + 1] : NULL};
  forall (struct node *p = list; p != NULL; p = p->next; p->value; CCC_ALL) take(p->value);
  show("list", 5);
  // CHECK: list 0: 0:0 3:0{{$}}

  long last;
  forall (last = 3; last <= 12; last += 3; ANY; CCC_ALL) take((int)last);
  show("any", 13);
  printf("after: %ld\n", last);
  // CHECK: any 0: 3:0 6:0{{$}}
  // CHECK: after: 15

  unsigned char small = 200;
  forall (unsigned k = 100; k > small - 150u; k -= 20; BLOCK; CCC_ALL) take((int)k);
  show("unsigned", 128);
  // CHECK: unsigned 0: 100:0{{$}}

  forall (unsigned k = 0u - 3; k != 3; k++; BLOCK; CCC_ALL) take((int)(k + 3));
  forall (unsigned long k = 8; k != -8ul; k -= 2; BLOCK; CCC_ALL) take((int)(k + 18));
  show("wraps", 32);
  // CHECK: wraps 0: 0:0 1:0 22:0 24:0 26:0{{$}}

  forall (int i = 5; i < 5; i++; BLOCK(7); CCC_ALL) take(i);
  show("empty", 10);
  // CHECK: empty 0:{{$}}

  int outside = 1;
  if (outside)
    forall (int i = 0; i < 3; i++; i; CCC_ALL) if (i == 1) take(i); else take(i + 10);
  else
    take(99);
  show("else", 100);
  // CHECK: else 0: 10:0{{$}}
}
// CHECK: block 1: 4:0 5:0 6:0{{$}}
// CHECK: down 1: 3:0 4:0 5:0{{$}}
// CHECK: deal 1: 4:0 6:0 16:0 18:0{{$}}
// CHECK: negative 1: 2:0 5:0 8:0{{$}}
// CHECK: list 1: 1:0 4:0{{$}}
// CHECK: any 1: 9:0{{$}}
// CHECK: unsigned 1: 80:0{{$}}
// CHECK: else 1: 1:0{{$}}
// CHECK: block 2: 7:0 8:0 9:0{{$}}
// CHECK: deal 2: 8:0 10:0{{$}}
// CHECK: unsigned 2: 60:0{{$}}
// CHECK: else 2: 12:0{{$}}
// MANY: block 9: 9:0{{$}}
// MANY: block 10:{{$}}
