/** Whether an address matches a pattern whose `*` stands for any characters; in time that grows with the length. */
export function matchesAddress(pattern: string, address: string): boolean {
  const parts = pattern.split('*');
  const first = parts.shift() ?? '';
  const last = parts.pop();
  if (!address.startsWith(first)) return false;
  if (last === undefined) return address === first;
  let position = first.length;
  for (const part of parts) {
    const index = address.indexOf(part, position);
    if (index < 0) return false;
    position = index + part.length;
  }
  return address.length - last.length >= position && address.endsWith(last);
}
