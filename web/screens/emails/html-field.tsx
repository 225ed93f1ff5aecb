import { useContext } from 'preact/hooks'
import { Badge } from '../../design/feedback.tsx'
import { ReadField, Reading } from '../../design/field.tsx'
import { useData } from '../../lib/use-data.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { CodeField } from '../../records/code/code-field.tsx'
import type { NamedTemplate } from '../../records/code/completion.ts'
import type { PlacedRemark } from '../../records/code/open-editor.ts'
import { findTemplates, useKnowledge } from '../../records/code/use-knowledge.ts'
import { words } from '../../words/common.ts'
import type { Draft } from './draft.ts'

const text = {
  includes: 'Includes',
  noTemplate: (id: string) => `There is no template ${id}.`,
  unpublished: (name: string) => `Template “${name}” is unpublished, so that it prints nothing.`,
  keys: 'Type { for tokens and templates. Ctrl+Space completes, Ctrl+F searches.',
} as const

const templateToken = /\{twigtemplate=([^{}]*)\}/g

/** The HTML of an email, in the editor of templates, with the templates that all its texts include by their names. */
export function HtmlField({ form }: { form: Form<Draft> }) {
  const { label, value, onValue, fault } = field(form, 'customHtml')
  const knowledge = useKnowledge([], '')
  const ids = templateIds(form.draft)
  const { data: templates } = useData(
    async (signal) =>
      ids === '' ? [] : await findTemplates(`ids:${ids}`, signal, ids.split(',').length),
    [ids],
    { isTyped: true },
  )
  const remarks = templates === undefined ? [] : findRemarks(value, templates)
  const included = templates !== undefined && templates.length > 0 && (
    <span class="row">
      {templates.map(({ id, name, isPublished }) => (
        <span key={id} class="row">
          <a href={`/templates/${id}`}>{name}</a>
          <span class="quiet">{id}</span>
          {!isPublished && <Badge tone="warn">{words.unpublished}</Badge>}
        </span>
      ))}
    </span>
  )
  if (useContext(Reading) !== undefined)
    return <ReadField label={text.includes}>{included}</ReadField>
  return (
    <CodeField
      language="email"
      size="medium"
      label={label}
      text={value}
      onText={onValue}
      remarks={remarks}
      knowledge={knowledge}
      fault={fault}
      help={text.keys}
    >
      {included && (
        <div class="row small">
          {text.includes} {included}
        </div>
      )}
    </CodeField>
  )
}

/** The ids of the templates that an email includes by tokens, with commas between them. */
function templateIds({ subject, fromName, customHtml, plainText, headers }: Draft): string {
  const texts = [subject, fromName, customHtml, plainText, ...headers.map(({ value }) => value)]
  const ids = [...texts.join('\n').matchAll(templateToken)].map(([, id]) => Number(id))
  return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].join(',')
}

/** Finds the tokens for templates that do not exist, or print nothing. */
function findRemarks(html: string, templates: readonly NamedTemplate[]): PlacedRemark[] {
  return [...html.matchAll(templateToken)].flatMap(({ index, 1: id = '' }) => {
    const template = templates.find((each) => String(each.id) === id.trim())
    if (template?.isPublished === true) return []
    const before = html.slice(0, index).split('\n')
    const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    const message = template === undefined ? text.noTemplate(id) : text.unpublished(template.name)
    return [{ ...place, message, isFault: template === undefined }]
  })
}
