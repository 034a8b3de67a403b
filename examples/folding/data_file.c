// SPDX-License-Identifier: Apache-2.0
// Data files of LAMMPS (its manual, command read_data): a title, a header of numbers and what they are, sections.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "start.h"

static const char *file_name;
static FILE *file;
static long line_number;
static char line[4096];

static _Noreturn void refuse(const char *problem) { give_up("%s:%ld: %s", file_name, line_number, problem); }

// The next line that is not blank, without its comment; 0 at the end of the file.
static int next_line(void) {
    while (fgets(line, sizeof line, file) != NULL) {
        line_number++;
        line[strcspn(line, "#\r\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0') return 1;
    }
    return 0;
}

// Numbers of the line, at most `most`; returns how many, or -1 when a word is none.
static int numbers_of_line(double *value, int most) {
    int count = 0;
    for (char *at = line; *(at += strspn(at, " \t")) != '\0' && count < most;) {
        char *end;
        value[count++] = strtod(at, &end);
        if (end == at || (*end != '\0' && !isspace((unsigned char)*end)) || !isfinite(value[count - 1])) return -1;
        at = end;
    }
    return count;
}

static int whole(double value, double least, double most, const char *problem) {
    if (value != floor(value) || value < least || value > most) refuse(problem);
    return (int)value;
}

static int is_about(const char *words) {
    const char *at = strstr(line, words);
    return at != NULL && at[strlen(words) + strspn(at + strlen(words), " \t")] == '\0';
}

typedef struct {
    int atoms, bonds, types;
    double low[3], high[3];
} header;

// Reads up to the first section, whose name is then the line.
static header read_header(void) {
    static const char *const edges[3] = {"xlo xhi", "ylo yhi", "zlo zhi"};
    header head = {0, 0, 1, {0, 0, 0}, {0, 0, 0}};
    while (next_line()) {
        if (isalpha((unsigned char)line[strspn(line, " \t")])) break;
        double value[2] = {0, 0};
        if (sscanf(line, "%lf %lf", &value[0], &value[1]) < 1) refuse("this is not a line of the header");
        int axis = 0;
        while (axis < 3 && !is_about(edges[axis])) axis++;
        if (axis < 3) {
            head.low[axis] = value[0];
            head.high[axis] = value[1];
        } else if (is_about("atoms")) {
            head.atoms = whole(value[0], 1, 2e9, "the number of atoms is not from 1 to 2000000000");
        } else if (is_about("bonds")) {
            head.bonds = whole(value[0], 0, 2e9, "the number of bonds is not from 0 to 2000000000");
        } else if (is_about("atom types")) {
            head.types = whole(value[0], 1, 2, "there are more types of atoms than 1 (polar) and 2 (hydrophobic)");
        } else if (is_about("bond types")) {
            whole(value[0], 0, 1, "there is more than one type of bonds");
        } else if (strstr(line, "extra") == NULL && (value[0] != 0 || value[1] != 0)) {
            refuse("the model has only atoms and bonds, in a rectangular box");
        }
    }
    if (head.atoms == 0) refuse("the header has no number of atoms");
    for (int k = 0; k < 3; k++) {
        if (!(head.low[k] < head.high[k])) refuse("the header has no box, or one without volume");
    }
    return head;
}

static void check_mass(void) {
    double value[2];
    if (!next_line() || numbers_of_line(value, 2) != 2 || value[1] != 1) refuse("the mass is not 1");
}

static void read_atoms(chains *all, const header *head) {
    for (int i = 0; i < head->atoms; i++) {
        double value[6];
        if (!next_line()) refuse("the file ends among the atoms");
        if (numbers_of_line(value, 6) != 6) refuse("this is not 'number molecule type x y z'");
        const int number =
            whole(value[0], 1, head->atoms, "the number of an atom is not from 1 to the number of atoms");
        if (all->name[number - 1].number != 0) refuse("this atom was there already");
        all->name[number - 1] = (identity){number, whole(value[1], 0, 2e9, "the molecule has no whole number"), {0, 0}};
        four at = {0, 0, 0, whole(value[2], 1, 2, "the type is neither 1 nor 2") - 1};
        for (int k = 0; k < 3; k++) {
            at[k] = value[3 + k] - head->low[k];
            if (value[3 + k] == head->high[k]) at[k] = 0;  // the upper face is the lower one
            if (!(at[k] >= 0 && at[k] < all->box[k])) refuse("the atom is outside the box");
        }
        all->place[number - 1] = at;
    }
}

static void read_velocities(chains *all) {
    for (int i = 0; i < all->count; i++) {
        double value[4];
        if (!next_line()) refuse("the file ends among the velocities");
        if (numbers_of_line(value, 4) != 4) refuse("this is not 'number vx vy vz'");
        const int number = whole(value[0], 1, all->count, "the number of an atom is not from 1 to the number of atoms");
        all->velocity[number - 1] = (four){value[1], value[2], value[3], 0};
    }
}

static void read_bonds(chains *all, int count) {
    for (int i = 0; i < count; i++) {
        double value[4];
        if (!next_line()) refuse("the file ends among the bonds");
        if (numbers_of_line(value, 4) != 4) refuse("this is not 'number type atom atom'");
        whole(value[1], 1, 1, "the type of a bond is not 1");
        int end[2];
        for (int k = 0; k < 2; k++)
            end[k] = whole(value[2 + k], 1, all->count, "the bond has an atom that is not there");
        for (int k = 0; k < 2; k++) {
            identity *bead = &all->name[end[k] - 1];
            const int other = end[1 - k], place = bead->bonded[0] != 0;
            if (other == end[k] || bead->bonded[0] == other) refuse("an atom is bonded to itself, or twice to another");
            if (bead->bonded[place] != 0) refuse("an atom has more than two bonds");
            bead->bonded[place] = other;
        }
    }
}

static int section_is(const char *name) {
    const char *at = line + strspn(line, " \t");
    const size_t length = strlen(name);
    return strncmp(at, name, length) == 0 && at[length + strspn(at + length, " \t")] == '\0';
}

static chains read_everything(void) {
    if (fgets(line, sizeof line, file) != NULL) line_number = 1;  // the title
    const header head = read_header();
    chains all = new_chains(head.atoms);
    for (int k = 0; k < 3; k++) all.box[k] = head.high[k] - head.low[k];
    int has_atoms = 0, has_bonds = 0;
    do {
        if (section_is("Atoms")) {
            read_atoms(&all, &head);
            has_atoms = 1;
        } else if (section_is("Velocities")) {
            read_velocities(&all);
        } else if (section_is("Bonds")) {
            read_bonds(&all, head.bonds);
            has_bonds = 1;
        } else if (section_is("Masses")) {
            for (int i = 0; i < head.types; i++) check_mass();
        } else {
            refuse("the section is none of Masses, Atoms, Velocities and Bonds");
        }
    } while (next_line());
    if (!has_atoms) refuse("there is no section Atoms");
    if (head.bonds > 0 && !has_bonds) refuse("there is no section Bonds");
    return all;
}

chains read_data_file(const char *name) {
    chains all = {0};
    if (m_rank(CCC_ALL) == 0) {
        file_name = name;
        file = fopen(name, "r");
        if (file == NULL) give_up("cannot open %s (%s)", name, strerror(errno));
        all = read_everything();
        fclose(file);
    }
    share_chains(&all);
    return all;
}

void write_data_file(const char *name, const chains *all) {
    int bonds = 0, types = 1;
    for (int i = 0; i < all->count; i++) {
        for (int k = 0; k < 2; k++) bonds += all->name[i].bonded[k] > all->name[i].number;
        if (all->place[i].w != 0) types = 2;
    }
    FILE *out = fopen(name, "w");
    if (out == NULL) give_up("cannot write %s (%s)", name, strerror(errno));
    fprintf(out, "chains of beads\n\n%d atoms\n%d bonds\n%d atom types\n1 bond types\n\n", all->count, bonds, types);
    for (int k = 0; k < 3; k++) fprintf(out, "0 %.17g %clo %chi\n", all->box[k], 'x' + k, 'x' + k);
    fputs("\nMasses\n\n", out);
    for (int i = 1; i <= types; i++) fprintf(out, "%d 1\n", i);
    fputs("\nAtoms\n\n", out);
    for (int i = 0; i < all->count; i++) {
        four at = all->place[i];
        for (int k = 0; k < 3; k++) {
            at[k] -= all->box[k] * floor(at[k] / all->box[k]);
            if (at[k] >= all->box[k]) at[k] = 0;  // was just below 0
        }
        fprintf(out, "%d %d %d %.17g %.17g %.17g\n", i + 1, all->name[i].molecule, at.w != 0 ? 2 : 1, at.x, at.y, at.z);
    }
    fputs("\nVelocities\n\n", out);
    for (int i = 0; i < all->count; i++) {
        const four v = all->velocity[i];
        fprintf(out, "%d %.17g %.17g %.17g\n", i + 1, v.x, v.y, v.z);
    }
    if (bonds > 0) fputs("\nBonds\n\n", out);
    for (int i = 0, bond = 0; i < all->count; i++) {
        for (int k = 0; k < 2; k++) {
            const int other = all->name[i].bonded[k];
            if (other > i + 1) fprintf(out, "%d 1 %d %d\n", ++bond, i + 1, other);
        }
    }
    const int failed = ferror(out);
    if (fclose(out) != 0 || failed) give_up("cannot write all of %s", name);
}
