import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import type { Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAnswer } from '../../lib/use-data.ts'
import type { Form } from '../../lib/use-form.ts'
import type { CodeHandle } from '../../records/code/open-editor.ts'
import { templateWords as text } from '../../words/templates.ts'
import type { Draft } from './draft.ts'
import { PreviewPane } from './preview.tsx'
import { type PreviewData, PreviewDataForm } from './preview-data.tsx'
import { Versions } from './versions.tsx'

type Variable = Body<'POST', '/api/twigTemplates/lint'>['variables'][number]
type PaneName = keyof typeof text.panes

interface SidePaneProps {
  id: number | undefined
  form: Form<Draft>
  variables: readonly Variable[]
  data: PreviewData
  onData: (changes: Partial<PreviewData>) => void
  code: CodeHandle | undefined
  onRestore: (version: number) => Promise<void>
}

/** Beside the editor: the preview and its data, the variables, the versions, and who uses the template. */
export function SidePane(props: SidePaneProps) {
  const { id, form, variables, data, onData, code, onRestore } = props
  const [pane, setPane] = useState<PaneName>('preview')
  const { versions, dependents, ...always } = text.panes
  const tabs: Partial<Record<PaneName, string>> = always
  if (id !== undefined) tabs.versions = versions
  if (id !== undefined && can('email:view')) tabs.dependents = dependents
  return (
    <div class="card side-pane">
      <Tabs
        label={text.paneChoice}
        tabs={tabs as Record<PaneName, string>}
        shown={pane}
        onShow={setPane}
      >
        {pane === 'preview' && <PreviewPane template={form.draft.template} id={id} data={data} />}
        {pane === 'data' && <PreviewDataForm data={data} onChange={onData} />}
        {pane === 'variables' && <Variables variables={variables} code={code} />}
        {pane === 'versions' && id !== undefined && (
          <Versions id={id} form={form} onRestore={onRestore} />
        )}
        {pane === 'dependents' && id !== undefined && <Dependents id={id} />}
      </Tabs>
    </div>
  )
}

/** What a template reads: each variable, where it is read first, and whether it has to exist. */
function Variables({ variables, code }: Pick<SidePaneProps, 'variables' | 'code'>) {
  const { variables: labels } = text
  if (variables.length === 0) return <Empty>{labels.empty}</Empty>
  return (
    <>
      <p class="quiet small">{labels.about}</p>
      <ul class="lines">
        {variables.map((variable) => {
          const { path, hasDefault, isInLoop, line } = variable
          return (
            <li key={`${path} ${line}`} class="spread">
              <span class="row">
                <code>{path}</code>
                <Badge tone={hasDefault ? 'good' : 'neutral'}>
                  {hasDefault ? labels.hasDefault : labels.noDefault}
                </Badge>
                {isInLoop && <Badge>{labels.inLoop}</Badge>}
              </span>
              <Button
                kind="plain"
                aria-label={labels.show(path, line)}
                onClick={() => code?.goTo(variable)}
              >
                {labels.line(line)}
              </Button>
            </li>
          )
        })}
      </ul>
    </>
  )
}

const dependentKinds = ['templates', 'emails'] as const
const shownMax = 200

/** The templates and emails that use a template. */
function Dependents({ id }: { id: number }) {
  const loaded = useAnswer('/api/twigTemplates/{id}/dependents', { path: { id } })
  return (
    <Show loaded={loaded}>
      {(dependents) => {
        const kinds = dependentKinds.filter((kind) => dependents[kind].length > 0)
        if (kinds.length === 0) return <Empty>{text.dependents.empty}</Empty>
        return kinds.map((kind) => (
          <section key={kind} class="stack">
            <h2>{text.dependents[kind](dependents[kind].length)}</h2>
            <ul class="lines">
              {dependents[kind].slice(0, shownMax).map(({ id, name, isDirect }) => (
                <li key={id} class="spread">
                  <a href={`/${kind}/${id}`}>{name}</a>
                  {!isDirect && <span class="quiet small">{text.indirect}</span>}
                </li>
              ))}
            </ul>
          </section>
        ))
      }}
    </Show>
  )
}
