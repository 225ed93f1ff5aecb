import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { Show } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { DiffView } from '../../records/code/diff-view.tsx'
import { EmailFrame } from '../../records/email-frame.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { templateWords } from '../../words/templates.ts'
import type { Draft } from './draft.ts'
import { type PreviewData, requestOf } from './preview-data.tsx'

const text = {
  title: (name: string) => `What this change of “${name}” does`,
  progress: 'Rendering the emails and templates that use it',
  summary: (changed: number, total: number) =>
    `${formatNumber(changed)} of ${formatNumber(total)} change, this template included.`,
  breaks: (count: number) => `${formatNumber(count)} of them can no longer be rendered.`,
  same: (count: number) => `${formatNumber(count)} stay the same`,
  others: (count: number) => `and ${formatNumber(count)} more change in the same way`,
  othersTitle: 'The others',
  kinds: { email: 'Email', template: 'Template' },
  views: 'Before and after',
  viewNames: { look: 'Appearance', code: 'Differences' },
  before: 'Before',
  after: 'After',
  subject: (subject: string) => `Subject: ${subject}`,
  notRendered: 'It cannot be rendered.',
  save: 'Save the change',
} as const

type Answer = Body<'POST', '/api/twigTemplates/{id}/impact'>
type Impact = Answer['impact'][number]

/** The change of a template, and what the dependents are rendered with before and after it. */
interface ImpactRequest {
  id: number
  draft: Draft
  data: PreviewData
}

/** The step before a save: what changes in the emails and templates that use the template, equal changes once. */
export function ImpactDialog({
  id,
  form,
  data: values,
  onClose,
}: Omit<ImpactRequest, 'draft'> & { form: Form<Draft>; onClose: () => void }) {
  const request = { id, draft: form.draft, data: values }
  const { data, fault } = useData((signal) => measureAll(request, signal), [])
  const impact = data ?? []
  const changed = impact.filter(({ changeKey }) => changeKey !== null)
  const broken = changed.filter(isBroken)
  const same = impact.filter(({ changeKey }) => changeKey === null)
  // What breaks before others, large groups before small ones.
  const groups = [...Map.groupBy(changed, ({ changeKey }) => changeKey).values()].sort(
    (one, other) =>
      Number(other.some(isBroken)) - Number(one.some(isBroken)) || other.length - one.length,
  )
  const save = async () => {
    await form.save()
    onClose()
  }
  return (
    <Dialog title={text.title(form.saved.name)} onClose={onClose} size="medium">
      {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
      <p aria-live="polite">
        {data === undefined ? text.progress : text.summary(changed.length, data.length)}
      </p>
      {broken.length > 0 && <Notice tone="bad">{text.breaks(broken.length)}</Notice>}
      <ul class="stack impact">
        {groups.map((group, index) => (
          <ImpactGroup
            key={group[0]?.changeKey}
            group={group}
            request={request}
            isFirst={index === 0}
          />
        ))}
      </ul>
      {same.length > 0 && <Names title={text.same(same.length)} impact={same} />}
      <div class="dialog-actions stack">
        <TextField {...field(form, 'changeNote')} />
        <div class="row">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            kind={broken.length > 0 ? 'danger' : 'primary'}
            isBusy={form.isBusy}
            disabled={data === undefined && fault === undefined}
            onClick={() => void save()}
          >
            {text.save}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Whether the change keeps a dependent from being rendered. */
function isBroken({ errorBefore, errorAfter }: Impact): boolean {
  return errorAfter !== null && errorBefore === null
}

/** One way to change: one example in full, and the names of the others. */
function ImpactGroup({
  group,
  request,
  isFirst,
}: {
  group: readonly Impact[]
  request: ImpactRequest
  isFirst: boolean
}) {
  const [isOpen, setOpen] = useState(isFirst)
  // An email shows more of a change than a template does.
  const [example, ...others] = group.toSorted((one, other) => one.kind.localeCompare(other.kind))
  if (example === undefined) return null
  const breaks = isBroken(example)
  return (
    <li class="card">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Badge tone={breaks ? 'bad' : 'neutral'}>{breaks ? 'Breaks' : 'Changes'}</Badge>{' '}
          <strong>{example.name}</strong>{' '}
          <span class="quiet small">
            {text.kinds[example.kind]}
            {example.isDirect ? '' : ` · ${templateWords.indirect}`}
          </span>
          {others.length > 0 && <span> {text.others(others.length)}</span>}
        </summary>
        {isOpen && <ImpactDetail impact={example} request={request} />}
        {isOpen && others.length > 0 && <Names title={text.othersTitle} impact={others} />}
      </details>
      {example.errorAfter !== null && <p class="small">{example.errorAfter}</p>}
    </li>
  )
}

function Names({ title, impact }: { title: string; impact: readonly Impact[] }) {
  return (
    <details>
      <summary>{title}</summary>
      <ul class="lines">
        {impact.map(({ kind, id, name }) => (
          <li key={`${kind} ${id}`} class="row">
            <span class="quiet small">{text.kinds[kind]}</span> {name}
          </li>
        ))}
      </ul>
    </details>
  )
}

async function measure(
  { id, draft: { template, name, isPublished }, data }: ImpactRequest,
  query: { start?: number; only?: Pick<Impact, 'kind' | 'id'> },
  signal: AbortSignal,
): Promise<Answer> {
  const body = { template, name, isPublished, ...requestOf(data), ...query }
  const options = { path: { id }, body, signal, isRead: true }
  return (await ask('POST', '/api/twigTemplates/{id}/impact', options)).body
}

/** The whole impact of a change, page by page. */
async function measureAll(request: ImpactRequest, signal: AbortSignal) {
  const impact: Impact[] = []
  for (let start: number | null = 0; start !== null; ) {
    const page: Answer = await measure(request, { start }, signal)
    impact.push(...page.impact)
    start = page.next
  }
  return impact
}

/** One email or template, before and after a change. */
function ImpactDetail({ impact, request }: { impact: Impact; request: ImpactRequest }) {
  const [view, setView] = useState<keyof typeof text.viewNames>('look')
  const { kind, id } = impact
  const loaded = useData(
    async (signal) => (await measure(request, { only: { kind, id } }, signal)).impact[0],
    [kind, id],
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
            <DiffView
              before={{ text: codeOf(detail?.before), label: text.before }}
              after={{ text: codeOf(detail?.after), label: text.after }}
            />
          )}
        </Tabs>
      )}
    </Show>
  )
}

type Printed = Impact['before']

const codeOf = (printed: Printed) =>
  [printed?.subject, printed?.html ?? printed?.text].filter(Boolean).join('\n')

function Side({ title, printed }: { title: string; printed: Printed }) {
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
