import { Empty } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { templateWords } from '../../words/templates.ts'

type Dependent = Body<'GET', '/api/twigTemplates/{id}/dependents'>['emails'][number]

const text = templateWords.dependents

/** The emails and templates that use a template. */
export function Dependents({ id }: { id: number }) {
  const loaded = useData(
    async (signal) =>
      (await ask('GET', '/api/twigTemplates/{id}/dependents', { path: { id }, signal })).body,
    [id],
  )
  return (
    <Show loaded={loaded}>
      {({ emails, templates }) =>
        emails.length + templates.length === 0 ? (
          <Empty>{text.empty}</Empty>
        ) : (
          <>
            <DependentList title={text.emails(emails.length)} path="/emails" items={emails} />
            <DependentList
              title={text.templates(templates.length)}
              path="/templates"
              items={templates}
            />
          </>
        )
      }
    </Show>
  )
}

const shownMax = 200

function DependentList({
  title,
  path,
  items,
}: {
  title: string
  path: string
  items: readonly Dependent[]
}) {
  if (items.length === 0) return null
  return (
    <section class="stack">
      <h2>{title}</h2>
      <ul class="lines">
        {items.slice(0, shownMax).map(({ id, name, isDirect }) => (
          <li key={id} class="spread">
            <a href={`${path}/${id}`}>{name}</a>
            {!isDirect && <span class="quiet small">{templateWords.impact.indirect}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
