import type { Schema } from '../../lib/api.ts'
import type { Resource } from '../../records/resource-screen.tsx'
import { readRecord, saveRecord } from '../../records/stored.ts'
import { templateWords } from '../../words/templates.ts'
import { movePreviewData } from './preview-data.tsx'

export type Template = Schema<'TwigTemplate'>

export type Draft = ReturnType<typeof draftOf>

/** What can be changed of a template, with the note on the change. */
const draftOf = (template: Template | undefined) => ({
  name: template?.name ?? '',
  description: template?.description ?? '',
  template: template?.template ?? '',
  isPublished: template?.isPublished ?? true,
  changeNote: '',
})

export const templates: Resource<Draft, Template> = {
  path: '/templates',
  area: 'twigtemplates',
  texts: templateWords,
  nameOf: ({ name }) => name,
  deletion: { kind: 'templates', text: templateWords.deleteText },
  draftOf,
  read: (id) => readRecord('twigTemplate', id),
  async write(id, draft, { etag, changed }) {
    const changes = Object.fromEntries(changed.map((name) => [name, draft[name]]))
    const body = id === undefined ? draft : changes
    const saved = await saveRecord('twigTemplate', { id, etag, body })
    if (id === undefined) movePreviewData(saved.record.id)
    return saved
  },
}
