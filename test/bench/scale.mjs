export async function scale() {}
