import { computed, effect, signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { withQuery } from './api.ts'
import { session } from './session.ts'

const key = 'brand'

/** The id of the brand that was chosen in this tab; empty for all. A link to another one is followed. */
const chosen = signal(
  new URLSearchParams(location.search).get(key) ?? sessionStorage.getItem(key) ?? '',
)

/** The brand that lists are limited to: its id; empty for all that the user may see. */
export const shownBrand = computed(() => {
  const own = session.value?.brands
  const isOwn = own === undefined || (own.length > 1 && own.includes(Number(chosen.value)))
  return isOwn && /^[1-9]\d*$/.test(chosen.value) ? chosen.value : ''
})

/** Limits all lists to a brand; an empty id: no longer. */
export function showBrand(id: string): void {
  chosen.value = id
  if (id === '') sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, id)
}

// The next user of the page chooses again.
effect(() => {
  if (session.value === null) showBrand('')
})

/** Keeps the shown brand in the address of each page, so that a page can be shared; returns the function that shows another. */
export function useBrandInAddress(): (id: string) => void {
  const { path, query, route } = useLocation()
  const { [key]: linked = '' } = query
  // Before the page below is rendered: it is to ask once.
  useMemo(() => linked !== '' && showBrand(linked), [linked, path])
  const { value: shown } = shownBrand
  useLayoutEffect(() => {
    if (linked !== shown) route(withQuery(path, { ...query, [key]: shown }), true)
  }, [shown, linked, path])
  return (id) => {
    showBrand(id)
    route(withQuery(path, { ...query, start: undefined, next: undefined, [key]: id }), true)
  }
}

/** The parameter of lists of messages and of counts that limits them to a brand; by default the shown one. */
export function ofBrand(id = shownBrand.value): { brand?: string } {
  return id === '' ? {} : { brand: id }
}

/** The same for lists of records. */
export function whereBrand(id = shownBrand.value): Record<string, string> {
  if (id === '') return {}
  return { 'where[0][col]': key, 'where[0][expr]': 'eq', 'where[0][val]': id }
}

/** The brand of a record, as forms have it: its id, empty for none; of a new one the shown one, else the only one of the user. */
export function brandDraft(record: { brand?: number | null } | undefined): string {
  if (record !== undefined) return String(record.brand ?? '')
  const [only = '', ...others] = session.value?.brands ?? []
  return shownBrand.value || (others.length === 0 ? String(only) : '')
}

/** The brands of a new user: the shown one, else those of who creates it. */
export function newUserBrands(): readonly number[] {
  return shownBrand.value === '' ? (session.value?.brands ?? []) : [Number(shownBrand.value)]
}

/** The brand of a form, as the API takes it. Who has not all brands leaves out none: the API then knows the only one. */
export function brandInput(id: string): { brand?: number | null } {
  if (id !== '') return { brand: Number(id) }
  return session.value?.brands === undefined ? { brand: null } : {}
}
