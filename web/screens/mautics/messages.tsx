import { outcomes } from '../../../src/core/delivery/outcomes.ts'
import { Notice } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useFresh } from '../../lib/use-data.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { words } from '../../words/common.ts'
import { mauticWords } from '../../words/mautics.ts'

const text = {
  how: 'Save the configuration of Mautic, then press “Send test email” there, or send any email.',
  waiting: 'Waiting for the first message',
  none: 'No message has come from this Mautic yet.',
  came: (recipient: string) => `A message to ${recipient} has come.`,
  queued: (problem: string) => `It is stored, not sent, and waits: ${problem}`,
  unrouted: 'Choose its default transport, or assign one: the message is then sent at once.',
  choose: 'Choose a default transport',
  open: 'Show the delivery',
  all: 'All deliveries of this Mautic',
  queue: 'Its queued messages',
  assignments: 'Its assignments',
} as const

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

/** The last message of a Mautic, read again and again; `isFirst`: it is waited for, after the Mautic was connected. */
export function LastMessage({
  id,
  title = mauticWords.lastMessage,
  isFirst = false,
}: {
  id: number
  title?: string
  isFirst?: boolean
}) {
  // After a fault, the next repetition shows whether it lasts.
  const { data: message } = useFresh(
    async (signal) => (can('email:view') ? findMessage(id, signal) : undefined),
    [id],
    isFirst ? 2_000 : 10_000,
  )
  if (!can('email:view')) return null
  const hasCome = message?.delivery !== undefined || message?.queued !== undefined
  return (
    <Card title={title}>
      {isFirst && <p class="small">{text.how}</p>}
      <div aria-live="polite">
        {hasCome ? (
          <Came message={message} id={id} />
        ) : (
          message !== undefined && <p class="quiet">{isFirst ? text.waiting : text.none}</p>
        )}
      </div>
      {!isFirst && (
        <p class="row">
          <a href={withQuery('/deliveries', { mautic: id })}>{text.all}</a>
          <a href={withQuery('/queue', { mautic: id })}>{text.queue}</a>
          {can('multipleTransports:view') && (
            <a href={withQuery('/assignments', { mautic: id })}>{text.assignments}</a>
          )}
        </p>
      )}
    </Card>
  )
}

function Came({ message: { delivery, queued }, id: mautic }: { message: Message; id: number }) {
  if (delivery === undefined)
    return (
      <Notice tone="warn">
        <p>{text.came(queued?.recipient ?? words.none)}</p>
        {queued?.problem && <p>{text.queued(queued.problem)}</p>}
        {queued?.problem && queued.transport === null && !queued.isUnanswered && (
          <p>
            {text.unrouted} <a href={`/mautics/${mautic}?edit=1`}>{text.choose}</a>
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
