import type { ComponentChildren } from 'preact'
import { ConfirmButton } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { WebhookBadge } from '../../records/mautic-state.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { mauticWords } from '../../words/mautics.ts'
import type { Mautic } from './record.tsx'

const { status: text, webhook: webhookText, labels, ofMailyard } = mauticWords

/** A problem, since when it is there, and what to do. */
export function Problem({
  title,
  problem,
  iso,
  children,
}: {
  title: string
  problem: string
  /** Since when. */
  iso: string | null
  children?: ComponentChildren
}) {
  return (
    <Notice tone="bad">
      <p>
        <strong>{title}</strong>{' '}
        {iso !== null && (
          <span class="small">
            {words.since} <Time iso={iso} />
          </span>
        )}
      </p>
      <p>{problem}</p>
      {children}
    </Notice>
  )
}

/** What is known of the emails and users of a Mautic, and why it cannot be read. */
export function Synchronization({ mautic, onChanged }: { mautic: Mautic; onChanged: () => void }) {
  const { id, status } = mautic
  if (status === undefined) return null
  const { problem, problemSince, isReinstalled } = status
  const accept = async () => {
    const { body } = await ask('POST', '/api/mautics/{id}/accept', { path: { id } })
    showToast(body.message)
    onChanged()
  }
  return (
    <Card title={text.title}>
      {problem !== null && (
        <Problem
          title={isReinstalled ? text.reinstalled : text.problem}
          problem={problem}
          iso={problemSince}
        >
          {isReinstalled && can('*') && (
            <div class="row">
              <ConfirmButton {...text.accept} onConfirm={accept} />
            </div>
          )}
        </Problem>
      )}
      <Facts
        facts={[
          [text.emails, formatNumber(status.emails)],
          [text.users, formatNumber(status.users)],
          [text.read, <Time key="read" iso={status.dateRead} />],
          [text.readAll, <Time key="readAll" iso={status.dateReadAll} />],
          [webhookText.title, <WebhookBadge key="webhook" mautic={mautic} />],
          [labels.transport, status.transport?.name ?? ofMailyard],
        ]}
      />
    </Card>
  )
}
