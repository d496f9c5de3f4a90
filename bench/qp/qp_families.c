// qp_families.c: the list of quadratic programs, with their published optima.
#include <string.h>

#include "qp_build.h"

enum {
  FIRST_LAST = QP_AUG_BOUNDS | QP_AUG_LAST(0),
  ALL_LAST = FIRST_LAST | QP_AUG_LAST(1) | QP_AUG_LAST(2),
};

// LISWET8: the table of 1999 has 7.1447006e3, which is more than v = 0 gives; a misprint. QPTEST:
// the published value leaves out the constant 4. AUG2DCQP: the published data lack the bounds of
// one direction.
const qp_family qp_families[] = {
  {"LISWET1", 10000, 1, 3.6122402e1, qp_liswet},
  {"LISWET2", 10000, 2, 2.4998076e1, qp_liswet},
  {"LISWET3", 10000, 3, 2.5001220e1, qp_liswet},
  {"LISWET4", 10000, 4, 2.5000112e1, qp_liswet},
  {"LISWET5", 10000, 5, 2.5034253e1, qp_liswet},
  {"LISWET6", 10000, 6, 2.4995748e1, qp_liswet},
  {"LISWET7", 10000, 7, 4.9884089e2, qp_liswet},
  {"LISWET8", 10000, 8, 7.1447006e2, qp_liswet},
  {"LISWET9", 10000, 9, 1.9632513e3, qp_liswet},
  {"LISWET10", 10000, 10, 4.9485785e1, qp_liswet},
  {"LISWET11", 10000, 11, 4.9523957e1, qp_liswet},
  {"LISWET12", 10000, 12, 1.7369274e3, qp_liswet},
  {"YAO", 2000, 0, 1.9770426e2, qp_yao},
  {"KSIP", 1000, 0, 5.7579794e-1, qp_ksip},
  {"GOULDQP2", 350, 2, 1.8427534e-4, qp_gouldqp},
  {"GOULDQP3", 350, 3, 2.0627840, qp_gouldqp},
  {"UBH1", 2000, 0, 1.1160008, qp_ubh1},
  {"DTOC3", 5000, 0, 2.3526248e2, qp_dtoc3},
  {"AUG2D", 100, 0, 1.6874118e6, qp_aug2d},
  {"AUG2DC", 100, QP_AUG_SIDES, 1.8183681e6, qp_aug2d},
  {"AUG2DQP", 100, ALL_LAST, 6.2370121e6, qp_aug2d},
  {"AUG2DCQP", 100, QP_AUG_SIDES | FIRST_LAST, 6.4981348e6, qp_aug2d},
  {"AUG3D", 10, 0, 5.5406773e2, qp_aug3d},
  {"AUG3DC", 10, QP_AUG_SIDES, 7.7126244e2, qp_aug3d},
  {"AUG3DQP", 10, ALL_LAST, 6.7523767e2, qp_aug3d},
  {"AUG3DCQP", 10, QP_AUG_SIDES | ALL_LAST, 9.9336215e2, qp_aug3d},
  {"CVXQP1_S", 100, 1, 1.1590718e4, qp_cvxqp},
  {"CVXQP2_S", 100, 2, 8.1209405e3, qp_cvxqp},
  {"CVXQP3_S", 100, 3, 1.1943432e4, qp_cvxqp},
  {"CVXQP1_M", 1000, 1, 1.0875116e6, qp_cvxqp},
  {"CVXQP2_M", 1000, 2, 8.2015543e5, qp_cvxqp},
  {"CVXQP3_M", 1000, 3, 1.3628287e6, qp_cvxqp},
  {"CVXQP1_L", 10000, 1, 1.0870480e8, qp_cvxqp},
  {"CVXQP2_L", 10000, 2, 8.1842458e7, qp_cvxqp},
  {"CVXQP3_L", 10000, 3, 1.1571110e8, qp_cvxqp},
  {"POWELL20", 10000, 0, 5.2089583e10, qp_powell20},
  {"STCQP1", 12, 1, 1.5514356e5, qp_stcqp},
  {"STCQP2", 12, 2, 2.2327313e4, qp_stcqp},
  {"HUESTIS", 10000, 0, 3.4824690e11, qp_huestis},
  {"HUES-MOD", 10000, 1, 3.4824690e7, qp_huestis},
  {"MOSARQP1", 50, 11, -9.5287544e2, qp_mosarqp},
  {"MOSARQP2", 30, 23, -1.5974821e3, qp_mosarqp},
  {"HS21", 0, QP_HS21, -9.9960000e1, qp_small},
  {"HS35", 0, QP_HS35, 1.1111111e-1, qp_small},
  {"HS35MOD", 0, QP_HS35MOD, 2.5e-1, qp_small},
  {"HS51", 0, QP_HS51, 0.0, qp_small},
  {"HS52", 0, QP_HS52, 5.3266476, qp_small},
  {"HS53", 0, QP_HS53, 4.0930233, qp_small},
  {"HS76", 0, QP_HS76, -4.6818182, qp_small},
  {"HS118", 0, 0, 6.6482045e2, qp_hs118},
  {"HS268", 0, QP_HS268, 0.0, qp_small},
  {"TAME", 0, QP_TAME, 0.0, qp_small},
  {"ZECEVIC2", 0, QP_ZECEVIC2, -4.125, qp_small},
  {"QPTEST", 0, QP_TEST, 4.3718750, qp_small},
  {"GENHS28", 10, 0, 9.2717369e-1, qp_genhs28},
};
const int32_t qp_family_count = (int32_t)(sizeof qp_families/sizeof qp_families[0]);

const qp_family *qp_find(const char *name) {
  for (int32_t k = 0; k < qp_family_count; k++)
    if (strcmp(qp_families[k].name, name) == 0) return &qp_families[k];
  return NULL;
}
