import type { Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { resourceOf } from '../../records/stored.ts'
import { templateWords } from '../../words/templates.ts'
import { movePreviewData } from './preview-data.tsx'

export type Template = Schema<'TwigTemplate'>

export type Draft = ReturnType<typeof draftOf>

/** What can be changed of a template, with the note on the change. */
const draftOf = (template: Template | undefined) => ({
  name: template?.name ?? '',
  description: template?.description ?? '',
  template: template?.template ?? '',
  brand: brandDraft(template),
  isPublished: template?.isPublished ?? true,
  changeNote: '',
})

export const templates = resourceOf('twigTemplate', {
  path: '/templates',
  area: 'twigtemplates',
  kind: 'templates',
  texts: templateWords,
  nameOf: ({ name }) => name,
  draftOf,
  inputOf: ({ brand, ...draft }: Draft) => ({ ...draft, ...brandInput(brand) }),
  onSaved: ({ id }, isNew) => isNew && movePreviewData(id),
})
