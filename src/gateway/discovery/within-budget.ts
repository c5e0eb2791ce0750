/** As many elements, from the first, as fit the budget in characters of JSON; always at least one. */
export function withinBudget<Item>(items: readonly Item[], budget: number): Item[] {
  let usedChars = 0;
  const fitting = items.findIndex((item, index) => {
    usedChars += JSON.stringify(item).length + 1;
    return usedChars > budget && index > 0;
  });
  return items.slice(0, fitting === -1 ? items.length : fitting);
}
