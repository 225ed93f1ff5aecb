import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { ApiFault, ask, type Body } from '../../lib/api.ts'
import type { Tone } from '../../lib/toasts.ts'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'
import { ImpactDetail } from './impact-detail.tsx'
import { type PreviewData, requestOf } from './preview-data.ts'

export type Impact = Body<'POST', '/api/twigTemplates/{id}/impact'>['impact'][number]

/** What a change gives a template; what is left out stays. */
export interface TemplateChange {
  template?: string
  name?: string
  isPublished?: boolean
}

/** What the dependents are rendered with, before and after. */
export interface ImpactRequest {
  id: number
  change: TemplateChange
  data: PreviewData
}

const text = templateWords.impact

interface ImpactDialogProps extends ImpactRequest {
  /** What the button says that goes on. */
  action: string
  onConfirm: (note: string) => Promise<void>
  onClose: () => void
}

/** The step before a save: what changes in each email and template that uses the template. */
export function ImpactDialog(props: ImpactDialogProps) {
  const { action, onConfirm, onClose, ...request } = props
  const { impact, total, isComplete, fault } = useImpact(request)
  const [note, setNote] = useState('')
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    await onConfirm(note)
    setBusy(false)
    onClose()
  }
  const changed = impact.filter((each) => each.isChanged || isBroken(each))
  const broken = impact.filter(isBroken)
  return (
    <Dialog title={text.title} onClose={onClose} size="wide">
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      <p aria-live="polite">
        {isComplete ? text.summary(changed.length, total) : text.progress(impact.length, total)}
      </p>
      {broken.length > 0 && <Notice tone="bad">{text.breaks(broken.length)}</Notice>}
      <ul class="stack impact">
        {changed.map((each) => (
          <ImpactRow key={`${each.kind} ${each.id}`} impact={each} request={request} />
        ))}
      </ul>
      {impact.length > changed.length && (
        <details>
          <summary>{text.same(impact.length - changed.length)}</summary>
          <ul class="lines">
            {impact
              .filter((each) => !changed.includes(each))
              .map((each) => (
                <li key={`${each.kind} ${each.id}`} class="row">
                  <span class="quiet small">{text.kinds[each.kind]}</span> {each.name}
                </li>
              ))}
          </ul>
        </details>
      )}
      <TextField label={text.note} value={note} onValue={setNote} />
      <div class="row">
        <Button
          kind={broken.length > 0 ? 'danger' : 'primary'}
          isBusy={isBusy}
          onClick={() => void confirm()}
        >
          {action}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  )
}

/** Whether the change keeps a dependent from being rendered. */
function isBroken({ errorBefore, errorAfter }: Impact): boolean {
  return errorAfter !== null && errorBefore === null
}

function ImpactRow({ impact, request }: { impact: Impact; request: ImpactRequest }) {
  const [isOpen, setOpen] = useState(false)
  const { kind, name, isDirect, errorAfter } = impact
  const [tone, state]: [Tone, string] = isBroken(impact)
    ? ['bad', text.states.breaks]
    : ['accent', text.states.changes]
  return (
    <li class="card">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Badge tone={tone}>{state}</Badge> <strong>{name}</strong>{' '}
          <span class="quiet small">
            {text.kinds[kind]}
            {isDirect ? '' : ` · ${text.indirect}`}
          </span>
        </summary>
        {isOpen && <ImpactDetail impact={impact} request={request} />}
      </details>
      {errorAfter !== null && <p class="small">{errorAfter}</p>}
    </li>
  )
}

/** Loads the impact of a change, page by page, until it is complete or the dialog is closed. */
function useImpact({ id, change, data }: ImpactRequest) {
  const [state, setState] = useState<{
    impact: readonly Impact[]
    total: number
    isComplete: boolean
    fault?: string
  }>({ impact: [], total: 0, isComplete: false })
  useEffect(() => {
    const controller = new AbortController()
    const load = async () => {
      const body = { ...change, ...safeRequestOf(data) }
      for (let start: number | null = 0; start !== null; ) {
        const options = { path: { id }, body: { ...body, start }, signal: controller.signal }
        const page: Body<'POST', '/api/twigTemplates/{id}/impact'> = (
          await ask('POST', '/api/twigTemplates/{id}/impact', { ...options, isRead: true })
        ).body
        setState((before) => ({
          impact: [...before.impact, ...page.impact],
          total: page.total,
          isComplete: page.isComplete,
        }))
        start = page.next
      }
    }
    load().catch((error: unknown) => {
      if (controller.signal.aborted) return
      const fault = error instanceof ApiFault ? error.message : String(error)
      setState((before) => ({ ...before, fault }))
    })
    return () => controller.abort()
  }, [])
  return state
}

/** Without the JSON where it has a mistake: what changes can be seen without it as well. */
export function safeRequestOf(data: PreviewData): ReturnType<typeof requestOf> {
  try {
    return requestOf(data)
  } catch {
    return {}
  }
}
