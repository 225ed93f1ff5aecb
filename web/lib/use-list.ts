import { useState } from 'preact/hooks'
import { shownBrand } from './brand.ts'
import { useAddress } from './use-address.ts'

/** The API's field that a list is ordered by. */
export interface Order {
  field: string
  isDescending: boolean
}

/** What the address says of a list, for its request and its parts. */
export type List = ReturnType<typeof useList>

const pageSize = 50
const none: ReadonlySet<number> = new Set()

/** A list that the server pages, searches and orders; all of it is in the address. */
export function useList(standard: Order) {
  const address = useAddress()
  const { query, go } = address
  // Another search or filter begins another selection: what it hides must not be changed with it.
  const { brand: _brand, ...page } = query
  const { start: _start, orderBy: _orderBy, orderByDir: _orderByDir, ...filters } = page
  const { value: brand } = shownBrand
  const scope = JSON.stringify([filters, brand])
  const [selection, select] = useState<{ scope: string; ids: ReadonlySet<number> }>()
  const selected = selection?.scope === scope ? selection.ids : none
  const onSelect = (ids: ReadonlySet<number>) => select({ scope, ids })
  const search = query['search'] ?? ''
  const start = Math.max(0, Math.trunc(Number(query['start'])) || 0)
  const order: Order = {
    field: query['orderBy'] ?? standard.field,
    isDescending:
      query['orderByDir'] === undefined ? standard.isDescending : query['orderByDir'] === 'desc',
  }
  return {
    ...address,
    asked: {
      start,
      limit: pageSize,
      search,
      orderBy: order.field,
      orderByDir: order.isDescending ? 'desc' : 'asc',
    },
    /** Changes whenever another page of the list is to be loaded: for `useData`. */
    key: JSON.stringify([page, brand]),
    /** For `<SearchForm>`. */
    searching: { value: search, onSearch: (text: string) => go({ search: text }, search !== '') },
    /** For `<Table>`. */
    ordering: {
      order,
      onOrder: ({ field, isDescending }: Order) =>
        go({ orderBy: field, orderByDir: isDescending ? 'desc' : 'asc' }),
    },
    /** For `<Pager>`. */
    paging: { start, limit: pageSize, onStart: (next: number) => go({ start: next || undefined }) },
    /** For `<Table>` and `<Selection>`: the ids of the chosen rows, on all pages. */
    selecting: { selected, onSelect },
  }
}
