import { signal } from '@preact/signals'
import { SelectField } from '../design/field.tsx'
import { ask, type Schema } from '../lib/api.ts'
import { showBrand, shownBrand } from '../lib/brand.ts'
import { can, session } from '../lib/session.ts'
import { brandWords as text } from '../words/brands.ts'

type Brand = Pick<Schema<'Brand'>, 'id' | 'name' | 'color'>

/** A record or message that may belong to a brand. */
export interface OfBrand {
  brand?: number | null | undefined
}

/** The brands that the user may see, by name, as they were read last. */
export const brands = signal<readonly Brand[]>([])

/** Reads the brands, for choices and names: when the console is opened, and after each change. The switch leaves one that is gone. */
export async function readBrands(): Promise<void> {
  const query = { limit: 0, fields: 'id,name,color', orderBy: 'name' }
  const options = { query, isBackground: true }
  const mayView = can('brand:view')
  try {
    brands.value = mayView ? (await ask('GET', '/api/brands', options)).body.brands : []
    if (mayView && !brands.value.some(({ id }) => String(id) === shownBrand.value)) showBrand('')
  } catch {
    // Those that were read before stay.
  }
}

/** The name of a brand; its number, where the user may not view brands. */
export const brandName = (id: number): string =>
  brands.value.find((brand) => brand.id === id)?.name ?? text.number(id)

/** The brands as choices, and the chosen one where it is not known. */
export function brandOptions(value: string): { value: string; label: string }[] {
  const options = brands.value.map(({ id, name }) => ({ value: String(id), label: name }))
  const isListed = value === '' || options.some((option) => option.value === value)
  return isListed ? options : [...options, { value, label: brandName(Number(value)) }]
}

/** Finds brands by their name, as choices. */
export async function findBrands(search: string): Promise<{ value: string; label: string }[]> {
  const part = search.trim().toLowerCase()
  return brandOptions('').filter(({ label }) => label.toLowerCase().includes(part))
}

/**
 * Chooses the brand of a record by its id, or none. It is hidden where there is no brand, and for users of one brand: what
 * they create belongs to it.
 */
export function BrandField({
  value,
  onValue,
  fault,
  help,
  none = text.none,
}: {
  value: string
  onValue: (id: string) => void
  fault?: string | undefined
  help?: string | undefined
  /** What it means that there is none. */
  none?: string
}) {
  const own = session.value?.brands
  const options = brandOptions(value)
  if (options.length === 0 || (own?.length === 1 && fault === undefined)) return null
  const label = own === undefined ? none : text.choose
  return (
    <SelectField
      label={text.brand}
      help={help}
      fault={fault}
      value={value}
      onValue={onValue}
      options={[{ value: '', label }, ...options]}
    />
  )
}

/** A dot in the color of a brand, with its name; nothing without a brand. */
export function BrandDot({ brand: id }: OfBrand) {
  const brand = brands.value.find((each) => each.id === id)
  if (brand === undefined) return null
  const { name, color } = brand
  return (
    <span
      class="brand-dot"
      role="img"
      aria-label={name}
      title={name}
      style={{ background: color }}
    />
  )
}

/** The name of a record in a list: without that of its brand before it, as in "Shop · Newsletters". */
export function nameInList(name: string, { brand }: OfBrand): string {
  const start = brand ? `${brandName(brand)} · ` : ''
  return name.startsWith(start) && name !== start ? name.slice(start.length) : name
}
