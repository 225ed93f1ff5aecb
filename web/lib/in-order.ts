import type { List } from './use-list.ts'

/**
 * The records of a list that the API answers by id, as Mautic does, in the order that was asked for: JSON objects lose it.
 *
 * @param readValue Reads the field that they are ordered by; by default the member of that name.
 */
export function inOrder<Item extends { id: number }>(
  records: Readonly<Record<string, Item>> | readonly Item[],
  { orderBy, orderByDir }: Pick<List['asked'], 'orderBy' | 'orderByDir'>,
  readValue = (item: Item): unknown => item[orderBy as keyof Item],
): Item[] {
  const compare = (one: Item, other: Item) => {
    const [left, right] = [readValue(one) ?? '', readValue(other) ?? '']
    const areTexts = typeof left === 'string' && typeof right === 'string'
    const difference = areTexts
      ? left.localeCompare(right, 'en', { numeric: true })
      : Number(left) - Number(right)
    return difference || one.id - other.id
  }
  const items = Object.values(records).sort(compare)
  return orderByDir === 'desc' ? items.reverse() : items
}
