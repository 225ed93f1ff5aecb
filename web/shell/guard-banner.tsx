import { ConfirmButton } from '../design/dialog.tsx'
import { Notice } from '../design/feedback.tsx'
import { ask } from '../lib/api.ts'
import { can, loadSession, session } from '../lib/session.ts'
import { formatList, formatNumber } from '../words/format.ts'

const text = {
  allowed: (recipients: string) =>
    `Mail goes to allowed recipients only: ${recipients}. All else is captured in the inbox.`,
  more: (count: number) => `${formatNumber(count)} more`,
  reasons: {
    restored: 'This is a copy: its database was restored from a backup.',
    otherUrl: (url = 'another address') => `This is a copy: its database has served ${url}.`,
  },
  held: 'Nothing is sent until it is confirmed: the queue is held, and webhooks and reports to Mautics wait.',
  ask: 'An administrator can confirm it.',
  confirm: {
    action: 'Send from here',
    title: 'Send from this installation?',
    text: 'All that waits is sent, in the queue and to webhooks and Mautics. Confirm it only if the original no longer runs: else each recipient may get a message twice.',
  },
} as const

const recipientsShown = 5

async function confirm(): Promise<void> {
  await ask('POST', '/api/installation/confirm')
  await loadSession()
}

/** What keeps mail from its recipients, on every page. It cannot be closed. */
export function GuardBanner() {
  const { allowedRecipients: allowed, unconfirmed } = session.value ?? {}
  return (
    <>
      {unconfirmed !== undefined && (
        <Notice tone="bad">
          <div class="spread">
            <span>
              {unconfirmed.reason === 'restored'
                ? text.reasons.restored
                : text.reasons.otherUrl(unconfirmed.servedAs)}{' '}
              {text.held} {!can('*') && text.ask}
            </span>
            {can('*') && <ConfirmButton {...text.confirm} onConfirm={confirm} />}
          </div>
        </Notice>
      )}
      {allowed !== undefined && <Notice tone="warn">{text.allowed(shorten(allowed))}</Notice>}
    </>
  )
}

function shorten(recipients: readonly string[]): string {
  const more = recipients.length - recipientsShown
  const shown = recipients.slice(0, recipientsShown)
  return formatList(more > 0 ? [...shown, text.more(more)] : shown)
}
