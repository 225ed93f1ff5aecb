import { ask, type Schema } from '../../lib/api.ts'
import type { Resource } from '../../records/resource-screen.tsx'
import { templateWords } from '../../words/templates.ts'
import { movePreviewData } from './preview-data.tsx'

export type Template = Schema<'TwigTemplate'>

/** What can be changed of a template, with the note on the change. */
export interface Draft {
  name: string
  description: string
  template: string
  isPublished: boolean
  changeNote: string
}

export const templates: Resource<Draft, Template> = {
  path: '/templates',
  area: 'twigtemplates',
  texts: templateWords,
  nameOf: ({ name }) => name,
  deletion: {
    kind: 'templates',
    title: (name) => templateWords.deleteMany(1, name),
    text: templateWords.deleteText,
  },
  draftOf: (template) => ({
    name: template?.name ?? '',
    description: template?.description ?? '',
    template: template?.template ?? '',
    isPublished: template?.isPublished ?? true,
    changeNote: '',
  }),
  async read(id) {
    const { body, etag } = await ask('GET', '/api/twigTemplates/{id}', { path: { id } })
    return { record: body.twigTemplate, etag }
  },
  async write(id, draft, { etag, changed }) {
    if (id === undefined) {
      const { body, etag: first } = await ask('POST', '/api/twigTemplates/new', { body: draft })
      movePreviewData(body.twigTemplate.id)
      return { record: body.twigTemplate, etag: first }
    }
    const body = Object.fromEntries(changed.map((name) => [name, draft[name]]))
    const answer = await ask('PATCH', '/api/twigTemplates/{id}/edit', { path: { id }, body, etag })
    return { record: answer.body.twigTemplate, etag: answer.etag }
  },
}
