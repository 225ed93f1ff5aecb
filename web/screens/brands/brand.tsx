import { HelpLink, PublishedBadge } from '../../design/feedback.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import type { Schema } from '../../lib/api.ts'
import { linesOf } from '../../lib/lines-of.ts'
import { field } from '../../lib/use-form.ts'
import { readBrands } from '../../records/brands.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { resourceOf } from '../../records/stored.ts'
import { brandWords as text } from '../../words/brands.ts'
import { BrandCards } from './cards.tsx'
import { NextSteps } from './steps.tsx'

type Brand = Schema<'Brand'>
type Draft = ReturnType<typeof draftOf>

const draftOf = (brand: Brand | undefined) => ({
  name: brand?.name ?? '',
  /** One on each line. */
  domains: brand?.domains.join('\n') ?? '',
  /** Of a new one, that which its name leads to. */
  color: brand?.color ?? '',
  description: brand?.description ?? '',
  isPublished: brand?.isPublished ?? true,
})

const brands = resourceOf('brand', {
  path: '/brands',
  area: 'brand',
  texts: text,
  draftOf,
  inputOf({ domains, color, ...draft }: Draft) {
    return { ...draft, domains: linesOf(domains), ...(color === '' ? {} : { color }) }
  },
  onSaved: () => void readBrands(),
  onDeleted: () => void readBrands(),
  nameOf: ({ name }) => name,
})

/** One brand: what belongs to it, and its settings; or a new one, whose page then leads through what is left to do. */
export default function BrandScreen() {
  return <ResourceScreen resource={brands} content={BrandPage} />
}

function BrandPage(editor: Editor<Draft, Brand>) {
  const { form, record } = editor
  return (
    <RecordPage
      editor={editor}
      isSideWide={record !== undefined}
      badge={record && <PublishedBadge isPublished={record.isPublished} />}
      notices={record && <NextSteps id={record.id} />}
      side={record ? <BrandCards brand={record} /> : <HelpLink page="add-a-brand" />}
    >
      <TextField {...field(form, 'name')} required autocomplete="off" />
      <TextArea {...field(form, 'domains')} rows={3} isMono />
      {record && editor.isEditing && <TextField {...field(form, 'color')} type="color" />}
      <TextArea {...field(form, 'description')} rows={2} />
      <CheckField {...field(form, 'isPublished')} />
    </RecordPage>
  )
}
