import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { findPublishedEmails, findSegments } from '../../records/find.ts'
import { broadcastWords } from '../../words/broadcasts.ts'
import { Skipped, skippedOf } from './broadcast.tsx'
import { SendTest } from './send-test.tsx'

const text = broadcastWords.create

/** A new broadcast: an email and a segment, whom it reaches, a test first. */
export function NewBroadcast() {
  const { query, go } = useAddress()
  const chosen = useChosenEmail(query['emailId'])
  const email = chosen.data?.value === query['emailId'] ? chosen.data : undefined
  const segment = query['segment']
  return (
    <Page title={broadcastWords.add} actions={<a href="/broadcasts">{broadcastWords.all}</a>}>
      {can('email:send') && can('contact:view') ? (
        <section class="card form" aria-label={broadcastWords.add}>
          <Picker
            label={text.email}
            help={text.emailHelp}
            fault={chosen.fault?.message}
            value={email}
            onValue={(choice) => go({ emailId: choice?.value })}
            find={findPublishedEmails}
          />
          <Picker
            label={text.segment}
            value={segment === undefined ? undefined : { value: segment, label: segment }}
            onValue={(choice) => go({ segment: choice?.value })}
            find={findSegments}
          />
          {email !== undefined && segment !== undefined && (
            <Send key={`${email.value} ${segment}`} email={email} segment={segment} />
          )}
        </section>
      ) : (
        <Notice>{text.notAllowed}</Notice>
      )}
    </Page>
  )
}

/** The email in the address, with its name; or why there is none. */
function useChosenEmail(id: string | undefined) {
  return useData(
    async (signal): Promise<Choice | undefined> => {
      if (id === undefined) return undefined
      const { email } = (await ask('GET', '/api/emails/{id}', { path: { id }, signal })).body
      return { value: id, label: email.name }
    },
    [id],
  )
}

type Count = Body<'POST', '/api/emails/{id}/send/count'>

/** Counts the recipients, sends a test, and begins the broadcast. */
function Send({ email, segment }: { email: Choice; segment: string }) {
  const { route } = useLocation()
  const [isTested, setTested] = useState(false)
  const [isAsking, setAsking] = useState(false)
  // The same key for each try: a repeated request is the same broadcast.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const path = { id: email.value }
  const counted = useData(
    async (signal) => {
      const options = { path, body: { segment }, signal, isRead: true }
      return (await ask('POST', '/api/emails/{id}/send/count', options)).body
    },
    [email.value, segment],
  )
  const send = async () => {
    const options = { path, body: { segment }, idempotencyKey }
    const { body } = await ask('POST', '/api/emails/{id}/send', options)
    route(`/broadcasts/${body.job.id}`)
  }
  return (
    <Show loaded={counted}>
      {(count) => (
        <>
          <Recipients count={count} />
          <SendTest emailId={Number(email.value)} onSent={() => setTested(true)} />
          {count.recipients > 0 && (
            <div class="row">
              <Button kind="primary" onClick={() => setAsking(true)}>
                {count.isComplete ? text.send(count.recipients) : text.sendAll}
              </Button>
            </div>
          )}
          {isAsking && (
            <Confirm
              title={
                count.isComplete
                  ? text.confirm(email.label, count.recipients)
                  : text.confirmMany(email.label, segment)
              }
              text={
                <>
                  <p>{text.confirmText}</p>
                  <p>{isTested ? text.tested : <strong>{text.untested}</strong>}</p>
                </>
              }
              action={text.action}
              onConfirm={send}
              onClose={() => setAsking(false)}
            />
          )}
        </>
      )}
    </Show>
  )
}

function Recipients({ count }: { count: Count }) {
  const { recipients, skipped, isComplete } = count
  return (
    <Notice tone={recipients === 0 ? 'warn' : 'neutral'}>
      <p>
        <strong>{recipients === 0 ? text.none : text.recipients(recipients, isComplete)}</strong>
      </p>
      <Skipped sentences={skippedOf(skipped)} />
    </Notice>
  )
}
