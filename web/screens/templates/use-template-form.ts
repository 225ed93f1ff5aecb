import { useLocation } from 'preact-iso/router'
import { ask, type Schema } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { type Form, type Saved, useForm } from '../../lib/use-form.ts'
import { templateWords } from '../../words/templates.ts'
import { movePreviewData } from './preview-data.ts'

export type Template = Schema<'TwigTemplate'>

/** What can be changed of a template. */
export interface TemplateDraft {
  name: string
  description: string
  template: string
  isPublished: boolean
}

const empty: TemplateDraft = { name: '', description: '', template: '', isPublished: true }

function savedOf(
  { name, description, template, isPublished }: Template,
  etag: string | undefined,
): Saved<TemplateDraft> {
  return { draft: { name, description: description ?? '', template, isPublished }, etag }
}

/** The form of a template. `noteOf` gives the note on the change that is being saved. */
export function useTemplateForm(
  { saved, etag }: { saved: Template | undefined; etag: string | undefined },
  noteOf: () => string,
): Form<TemplateDraft> {
  const { route } = useLocation()
  const id = saved?.id ?? 0
  return useForm<TemplateDraft>({
    saved: saved === undefined ? { draft: empty, etag } : savedOf(saved, etag),
    async load() {
      const answer = await ask('GET', '/api/twigTemplates/{id}', { path: { id } })
      return savedOf(answer.body.twigTemplate, answer.etag)
    },
    async save(draft, at) {
      if (saved === undefined) {
        const answer = await ask('POST', '/api/twigTemplates/new', { body: draft })
        const created = answer.body.twigTemplate
        showToast(templateWords.saved(created.name))
        movePreviewData(created.id)
        route(`/templates/${created.id}`, true)
        return savedOf(created, answer.etag)
      }
      const values = Object.fromEntries(at.changed.map((name) => [name, draft[name]]))
      const changeNote = noteOf().trim()
      const answer = await ask('PATCH', '/api/twigTemplates/{id}/edit', {
        path: { id },
        body: changeNote === '' ? values : { ...values, changeNote },
        etag: at.etag,
      })
      showToast(templateWords.saved(answer.body.twigTemplate.name))
      return savedOf(answer.body.twigTemplate, answer.etag)
    },
  })
}
