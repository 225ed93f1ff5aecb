import { Badge } from '../../design/feedback.tsx'
import type { Schema } from '../../lib/api.ts'

export type DkimKey = Schema<'DkimKey'>

const states = {
  waiting: {
    label: 'Waiting for its record',
    tone: 'warn',
    meaning:
      'Publish the record of this key, and choose “Check now”. Messages are signed once it is found. Mailyard also looks it up once a day.',
  },
  active: { label: 'Active', tone: 'good', meaning: 'Messages of this domain are signed.' },
  doubtful: {
    label: 'Record in doubt',
    tone: 'bad',
    meaning:
      'Messages of this domain are signed, but the last look-up found something wrong. Receivers cannot verify signatures without the record.',
  },
  unpublished: {
    label: 'Unpublished',
    tone: 'neutral',
    meaning: 'No message is signed with this key. Publish it to use it.',
  },
} as const

/** What is shown as the state of a key: its label, its tone, and what it means. */
export function stateOf({ isPublished, isActive, problem }: DkimKey) {
  if (!isPublished) return states.unpublished
  if (!isActive) return states.waiting
  return problem === null ? states.active : states.doubtful
}

/** Whether messages are signed with a key. */
export function KeyState({ dkimKey }: { dkimKey: DkimKey }) {
  const { label, tone, meaning } = stateOf(dkimKey)
  return (
    <Badge tone={tone} title={meaning}>
      {label}
    </Badge>
  )
}
