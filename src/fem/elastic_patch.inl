// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of locking-free elements on the lanes of a batch; see elastic_patch.h for the
// equations. Included by elastic.c only.

// What the law's lanes need beside the batch.
typedef struct patch_lanes {
    double e;            // exponent of Jbar / J
    double J[LANES];     // of the tetrahedron
    double r[LANES];     // (Jbar / J)^e; 1 where that is not defined
    double q[LANES];     // pressure of the patch: dE / d(V Jbar) (Pa)
    double mean[LANES];  // Jbar
    bool fails[LANES];   // J or Jbar is not positive
    double A[9][LANES];  // F^-T
    double FL[9][LANES]; // d2psi / dF dln(Jbar) (Pa)
    double LL[LANES];    // d2psi / dln(Jbar)^2 (Pa)
} patch_lanes;

// F <- F (Jbar / J)^e
static void patch_scale(const pli_patches *patches, int32_t begin, int32_t count,
                        double F[9][LANES], patch_lanes *p)
{
    p->e = patches->exponent;
    for (int lane = 0; lane < LANES; ++lane) {
        double own[9], C[9];
        for (int k = 0; k < 9; ++k) own[k] = F[k][lane];
        bool used = lane < count;
        int32_t patch = used ? patches->of_tet[begin + lane] : 0;
        double J = used ? patches->J[begin + lane] : 1;
        double mean = used ? patches->mean[patch] : 1;
        p->fails[lane] = !(J > 0) || !(mean > 0);
        p->J[lane] = J;
        p->mean[lane] = mean;
        p->q[lane] = used ? patches->pressure[patch] : 0;
        p->r[lane] = p->fails[lane] ? 1 : exp(p->e * log(mean / J));
        pli_mat3_cofactor(own, C);
        for (int k = 0; k < 9; ++k) {
            p->A[k][lane] = p->fails[lane] ? 0 : C[k] / J;
            F[k][lane] *= p->r[lane];
        }
    }
}

static void patch_bound_energy(const patch_lanes *p, int32_t count, double psi[LANES])
{
    for (int lane = 0; lane < count; ++lane) {
        if (p->fails[lane]) psi[lane] = INFINITY;
    }
}

// m = P : F, what the law's energy gains by dln(F)
static double patch_contract(double (*P)[LANES], double (*F)[LANES], int lane)
{
    double sum = 0;
    for (int k = 0; k < 9; ++k) sum += P[k][lane] * F[k][lane];
    return sum;
}

// P <- r P + (q J - e m) A
static void patch_correct_stress(const patch_lanes *p, double (*F)[LANES], double (*P)[LANES])
{
    for (int lane = 0; lane < LANES; ++lane) {
        double m = patch_contract(P, F, lane);
        double factor = p->q[lane] * p->J[lane] - p->e * m;
        for (int k = 0; k < 9; ++k) {
            P[k][lane] = p->r[lane] * P[k][lane] + factor * p->A[k][lane];
        }
    }
}

// T <- FF, and FL, LL of the lanes:
//     FF = r^2 T - r e (h A + A h) + (e^2 n + q J) A A + (e m - q J) A_il A_kj
//     FL = e (r h - e n A),   LL = e^2 n - q Jbar,   h = T : F + P,   n = F : h
// Without the stresses P, m and q it is [G, e F]^T T [G, e F] with G = r (1 - e F A), which is
// positive semi-definite with T; projected, they are left out.
static void patch_correct_tangent(pli_projection projection, patch_lanes *p, double (*F)[LANES],
                                  double (*P)[LANES], double (*T)[LANES])
{
    double h[9][LANES], n[LANES] = {0}, turned[LANES], pressure[LANES], r[LANES], e = p->e;
    double keep = projection == PLI_TANGENT_PROJECTED ? 0 : 1;
    for (int lane = 0; lane < LANES; ++lane) {
        r[lane] = p->r[lane];
        pressure[lane] = keep * p->q[lane] * p->J[lane];
        turned[lane] = keep * e * patch_contract(P, F, lane) - pressure[lane];
    }
    for (int i = 0; i < 9; ++i) {
        for (int lane = 0; lane < LANES; ++lane) h[i][lane] = keep * P[i][lane];
        for (int k = 0; k < 9; ++k) {
            for (int lane = 0; lane < LANES; ++lane) h[i][lane] += T[9 * i + k][lane] * F[k][lane];
        }
        for (int lane = 0; lane < LANES; ++lane) n[lane] += F[i][lane] * h[i][lane];
    }
    for (int a = 0; a < 9; ++a) {
        for (int b = 0; b < 9; ++b) {
            const double *Aa = p->A[a], *Ab = p->A[b];
            const double *Ail = p->A[3 * (a / 3) + b % 3], *Akj = p->A[3 * (b / 3) + a % 3];
            for (int lane = 0; lane < LANES; ++lane) {
                T[9 * a + b][lane] = r[lane] * r[lane] * T[9 * a + b][lane] -
                                     r[lane] * e * (h[a][lane] * Ab[lane] + Aa[lane] * h[b][lane]) +
                                     (e * e * n[lane] + pressure[lane]) * Aa[lane] * Ab[lane] +
                                     turned[lane] * Ail[lane] * Akj[lane];
            }
        }
        for (int lane = 0; lane < LANES; ++lane) {
            p->FL[a][lane] = e * (r[lane] * h[a][lane] - e * n[lane] * p->A[a][lane]);
        }
    }
    for (int lane = 0; lane < LANES; ++lane) {
        p->LL[lane] = e * e * n[lane] - keep * p->q[lane] * p->mean[lane];
    }
}

// Slots of the corners of a tetrahedron among those of its patch.
static void patch_slots(const pli_patches *patches, int32_t tet, const int32_t *slots,
                        int32_t out[16])
{
    int64_t size = patches->cliques.size;
    const int32_t *own = slots + patches->of_tet[tet] * size * size;
    const int8_t *at = patches->place + 4 * (int64_t)tet;
    for (int k = 0; k < 16; ++k) out[k] = own[at[k / 4] * size + at[k % 4]];
}

// Gathers what couples the vertices of a patch: b = dln(Jbar)/dx, c = sum V FL : dF/dx, and
// kappa = sum V LL. V is that of the Hessian, weight included.
static void patch_couple(const pli_patches *patches, int32_t tet, int lane, double V,
                         double G[9][LANES], const patch_lanes *p)
{
    int32_t patch = patches->of_tet[tet];
    int64_t size = patches->cliques.size;
    double *b = patches->b + 3 * size * patch, *c = patches->c + 3 * size * patch;
    const int8_t *at = patches->place + 4 * (int64_t)tet;
    double share = p->fails[lane] ? 0 : patches->share[tet] * p->J[lane] / p->mean[lane];
    patches->kappa[patch] += V * p->LL[lane];
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            double of_b = 0, of_c = 0;
            for (int j = 0; j < 3; ++j) {
                of_b += p->A[3 * i + j][lane] * G[3 * a + j][lane];
                of_c += p->FL[3 * i + j][lane] * G[3 * a + j][lane];
            }
            b[3 * at[a + 1] + i] += share * of_b;
            b[3 * at[0] + i] -= share * of_b;
            c[3 * at[a + 1] + i] += V * of_c;
            c[3 * at[0] + i] -= V * of_c;
        }
    }
}
