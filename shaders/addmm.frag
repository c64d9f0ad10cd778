// Adds the bias to a product that lies in `a`: the device makes it first. Where it is made in tiles, the draw that joins
// them adds the bias, and this shader is not used.
void kernel(int e) { c = own(a) + spread4(bias, e, 1, n); }
