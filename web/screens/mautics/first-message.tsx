import { useState } from 'preact/hooks'
import { outcomes } from '../../../src/delivery/outcomes.ts'
import { Notice } from '../../design/feedback.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { words } from '../../words/common.ts'
import { mauticWords } from '../../words/mautics.ts'

const text = mauticWords.message
const intervalMs = 2_000

interface Message {
  delivery: Schema<'Delivery'> | undefined
  /** Not sent yet. */
  queued: Schema<'QueuedMessage'> | undefined
}

async function findMessage(mautic: number, signal: AbortSignal): Promise<Message> {
  const options = { query: { mautic, limit: 1 }, signal, isBackground: true }
  const { deliveries } = (await ask('GET', '/api/deliveries', options)).body
  if (!can('queue:view')) return { delivery: deliveries[0], queued: undefined }
  const { messages } = (await ask('GET', '/api/queue/messages', options)).body
  return { delivery: deliveries[0], queued: messages[0] }
}

/** Waits for the first message of a Mautic, and shows what became of it. */
export function FirstMessage({ id, title }: { id: number; title: string }) {
  const [message, setMessage] = useState<Message>()
  const isKnown = message?.delivery !== undefined && message.delivery.outcome !== 'started'
  useRepeat(async (signal) => {
    if (!isKnown) setMessage(await findMessage(id, signal))
  }, intervalMs)
  if (!can('email:view')) return null
  return (
    <section class="card narrow" aria-label={title}>
      <h2>{title}</h2>
      <p class="small">{text.how}</p>
      <div aria-live="polite">
        {message?.delivery === undefined && message?.queued === undefined ? (
          <p class="quiet">{text.waiting}</p>
        ) : (
          <Came message={message} settings={`/mautics/${id}`} />
        )}
      </div>
    </section>
  )
}

/** The last message of a Mautic. */
export function LastMessage({ id }: { id: number }) {
  const { data } = useData((signal) => findMessage(id, signal), [id])
  if (data === undefined || !can('email:view')) return null
  return (
    <section class="card narrow" aria-label={text.last}>
      <h2>{text.last}</h2>
      {data.delivery === undefined && data.queued === undefined ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Came message={data} />
      )}
      <p class="row">
        <a href={withQuery('/deliveries', { mautic: id })}>{text.all}</a>
        <a href={withQuery('/queue', { mautic: id })}>{text.queue}</a>
        {can('multipleTransports:view') && (
          <a href={withQuery('/assignments', { mautic: id })}>{text.assignments}</a>
        )}
      </p>
    </section>
  )
}

/** `settings`: the page on which its transport is chosen, unless it is this one. */
function Came({
  message: { delivery, queued },
  settings,
}: {
  message: Message
  settings?: string
}) {
  if (delivery === undefined)
    return (
      <Notice tone="warn">
        <p>{text.came(queued?.recipient ?? words.none)}</p>
        {queued?.problem && <p>{text.queued(queued.problem)}</p>}
        {queued?.problem && queued.transport === null && (
          <p>
            {text.unrouted} {settings !== undefined && <a href={settings}>{text.choose}</a>}
          </p>
        )}
      </Notice>
    )
  const { id, recipient, outcome, transport, reason, reply } = delivery
  return (
    <Notice tone={outcomes[outcome].tone}>
      <p class="row">
        <span>{text.came(recipient)}</span>
        <OutcomeBadge outcome={outcome} />
        <span class="quiet small">{transport}</span>
      </p>
      <p class="small">{reason ?? reply}</p>
      <a href={`/deliveries/${id}`}>{text.open}</a>
    </Notice>
  )
}
