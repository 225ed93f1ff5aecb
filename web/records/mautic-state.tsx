import { Badge } from '../design/feedback.tsx'
import type { Schema } from '../lib/api.ts'
import { mauticWords } from '../words/mautics.ts'

type Mautic = Schema<'Mautic'>

const states = {
  unpublished: { label: 'Unpublished', tone: 'neutral' },
  unknown: { label: 'Not read yet', tone: 'neutral' },
  problem: { label: 'Problem', tone: 'bad' },
  reinstalled: { label: 'Reinstalled', tone: 'bad' },
  silent: { label: 'No message yet', tone: 'wait' },
  ok: { label: 'Connected', tone: 'good' },
} as const

function stateOf({ isPublished, status }: Mautic): keyof typeof states {
  if (!isPublished) return 'unpublished'
  if (status === undefined) return 'unknown'
  if (status.isReinstalled) return 'reinstalled'
  if (status.problem !== null || (status.webhook?.problem ?? null) !== null) return 'problem'
  if (status.dateRead === null) return 'unknown'
  return status.dateLastMessage === null ? 'silent' : 'ok'
}

/** Whether a Mautic can be read, and sends: it is connected once it has. */
export function MauticState({ mautic }: { mautic: Mautic }) {
  const { label, tone } = states[stateOf(mautic)]
  return <Badge tone={tone}>{label}</Badge>
}

/** Whether a Mautic has a webhook to this Mailyard, and whether it works. */
export function WebhookBadge({ mautic: { status } }: { mautic: Mautic }) {
  const webhook = status?.webhook
  if (!webhook) return <Badge>None</Badge>
  const { problem, dateLastChange } = webhook
  if (problem !== null)
    return (
      <Badge tone="bad" title={problem}>
        Problem
      </Badge>
    )
  if (dateLastChange === null) return <Badge>{mauticWords.webhook.unknown}</Badge>
  return <Badge tone="good">Works</Badge>
}
