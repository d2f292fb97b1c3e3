export default async function stopSupabase() {
  await globalThis.localSupabase.close();
}
