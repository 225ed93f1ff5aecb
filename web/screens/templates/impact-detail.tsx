import { useState } from 'preact/hooks'
import { Show } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { EmailFrame } from '../../records/email-frame.tsx'
import { templateWords } from '../../words/templates.ts'
import { type Impact, type ImpactRequest, safeRequestOf } from './impact.tsx'

type Printed = NonNullable<Impact['before']>

const text = templateWords.impact
const linesMax = 400

/** One email or template, before and after a change. */
export function ImpactDetail({ impact, request }: { impact: Impact; request: ImpactRequest }) {
  const [view, setView] = useState<keyof typeof text.viewNames>('look')
  const { id, change, data } = request
  const loaded = useData(
    async (signal) => {
      const only = { kind: impact.kind, id: impact.id }
      const body = { ...change, ...safeRequestOf(data), only }
      const options = { path: { id }, body, signal, isRead: true }
      return (await ask('POST', '/api/twigTemplates/{id}/impact', options)).body.impact[0]
    },
    [impact.kind, impact.id],
  )
  return (
    <Show loaded={loaded}>
      {(detail) => (
        <Tabs
          kind="segments"
          label={text.views}
          tabs={text.viewNames}
          shown={view}
          onShow={setView}
        >
          {view === 'look' ? (
            <div class="columns">
              <Side title={text.before} printed={detail?.before} />
              <Side title={text.after} printed={detail?.after} />
            </div>
          ) : (
            <DiffLines diff={impact.diff} />
          )}
        </Tabs>
      )}
    </Show>
  )
}

function Side({ title, printed }: { title: string; printed: Printed | null | undefined }) {
  return (
    <section class="stack" aria-label={title}>
      <h3>{title}</h3>
      {printed?.subject && <p>{text.subject(printed.subject)}</p>}
      {printed ? (
        <EmailFrame title={title} html={printed.html ?? printed.text ?? ''} />
      ) : (
        <p class="quiet">{text.notRendered}</p>
      )}
    </section>
  )
}

/** A unified diff; signs stand before the lines, colours only add to them. */
function DiffLines({ diff }: { diff: string }) {
  if (diff === '') return <p class="quiet">{templateWords.same}</p>
  const lines = diff.split('\n').slice(2, linesMax)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to take the focus.
    <pre class="diff-lines" tabIndex={0}>
      {lines.map((line, index) => (
        <span key={`${index} ${line}`} data-sign={line[0]}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}
