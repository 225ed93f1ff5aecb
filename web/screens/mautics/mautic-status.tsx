import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { formatNumber } from '../../words/format.ts'
import { mauticWords } from '../../words/mautics.ts'
import type { Mautic } from './draft.ts'
import { MauticState } from './mautic-state.tsx'

const { status: text, state, since } = mauticWords

/** What is known of the emails and users of a Mautic, and why it cannot be read. */
export function MauticStatus({ mautic, onChanged }: { mautic: Mautic; onChanged: () => void }) {
  const { status } = mautic
  if (status === undefined) return null
  return (
    <section class="card narrow" aria-label={text.title}>
      <h2>{text.title}</h2>
      {status.problem !== null && (
        <Notice tone="bad">
          <p>
            <strong>{status.isReinstalled ? text.reinstalled : text.problem}</strong>{' '}
            {status.problemSince !== null && (
              <span class="small">
                {since} <Time iso={status.problemSince} />
              </span>
            )}
          </p>
          <p>{status.problem}</p>
          {status.isReinstalled && can('*') && <Accept id={mautic.id} onChanged={onChanged} />}
        </Notice>
      )}
      <Facts
        facts={[
          [state, <MauticState key="state" mautic={mautic} />],
          [text.emails, formatNumber(status.emails)],
          [text.users, formatNumber(status.users)],
          [text.read, <Time key="read" iso={status.dateRead} />],
          [text.readAll, <Time key="readAll" iso={status.dateReadAll} />],
        ]}
      />
    </section>
  )
}

function Accept({ id, onChanged }: { id: number; onChanged: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const accept = async () => {
    const { body } = await ask('POST', '/api/mautics/{id}/accept', { path: { id } })
    showToast(body.message)
    onChanged()
  }
  return (
    <div class="row">
      <Button onClick={() => setAsking(true)}>{text.accept}</Button>
      {isAsking && (
        <Confirm
          title={text.acceptTitle}
          text={text.acceptText}
          action={text.accept}
          onConfirm={accept}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
