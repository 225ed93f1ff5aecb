import { useEffect } from 'preact/hooks'
import { shownBrand } from '../lib/brand.ts'
import { session } from '../lib/session.ts'
import { BrandDot, brandName, brandOptions, brands, readBrands } from '../records/brands.tsx'
import { brandWords as text } from '../words/brands.ts'

/** Limits all lists to one brand; for users of one brand its name, and nothing where there is none. */
export function BrandSwitch({ show }: { show: (id: string) => void }) {
  useEffect(() => void readBrands(), [])
  const { value: shown } = shownBrand
  const [only, ...others] = session.value?.brands ?? []
  if (only !== undefined && others.length === 0)
    return (
      <p class="brand-switch" data-shown>
        <BrandDot brand={only} /> {brandName(only)}
      </p>
    )
  if (brands.value.length === 0 && shown === '') return null
  return (
    <div class="brand-switch" data-shown={shown === '' ? undefined : true}>
      <BrandDot brand={Number(shown)} />
      <select
        class="input"
        aria-label={text.shown}
        value={shown}
        onChange={(event) => show(event.currentTarget.value)}
      >
        <option value="">{text.all}</option>
        {brandOptions(shown).map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}
