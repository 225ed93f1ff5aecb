import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body, serverNow } from '../../lib/api.ts'
import { can, session } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { EmailFrame } from '../../records/email-frame.tsx'
import { findEmails, findSegments } from '../../records/find.ts'
import { broadcastWords } from '../../words/broadcasts.ts'
import { Skipped } from './parts.tsx'

const text = broadcastWords.create

/** A new broadcast: an email and a segment, whom it reaches, how it looks and what it is sent through, a test first. */
export function NewBroadcast() {
  const { query, go } = useAddress()
  const { emailId, segment } = query
  const chosen = useChosenEmail(emailId)
  const [testCount, setTestCount] = useState(0)
  const email = chosen.data?.value === emailId ? chosen.data : undefined
  const isComplete = email !== undefined && segment !== undefined
  const counted = useData(
    async (signal) => {
      if (!isComplete) return undefined
      const options = { path: { id: email.value }, body: { segment }, signal, isRead: true }
      return (await ask('POST', '/api/emails/{id}/send/count', options)).body
    },
    [email?.value, segment],
  )
  const count = counted.isLoading ? undefined : counted.data
  const back = { href: '/broadcasts', label: broadcastWords.title }
  if (!can('email:send') || !can('contact:view'))
    return (
      <Page title={broadcastWords.add} back={back}>
        <Notice>{text.notAllowed}</Notice>
      </Page>
    )
  return (
    <Page title={broadcastWords.add} back={back}>
      <RecordLayout
        isSideWide
        side={
          email === undefined ? (
            <Card title={text.preview}>
              <p class="quiet">{text.noPreview}</p>
            </Card>
          ) : (
            <Preview
              key={`${email.value} ${count?.firstContactId}`}
              emailId={Number(email.value)}
              contactId={count?.firstContactId ?? undefined}
              testCount={testCount}
            />
          )
        }
      >
        <section class="card" aria-label={broadcastWords.add}>
          <Picker
            label={text.email}
            help={text.emailHelp}
            fault={chosen.fault?.message}
            value={email}
            onValue={(choice) => go({ emailId: choice?.value })}
            find={findEmails({ published: 1 })}
          />
          <Picker
            label={text.segment}
            value={segment === undefined ? undefined : { value: segment, label: segment }}
            onValue={(choice) => go({ segment: choice?.value })}
            find={findSegments}
          />
          {isComplete && (
            <Show loaded={{ ...counted, data: count }}>
              {(reach) => (
                <Send
                  key={`${email.value} ${segment}`}
                  email={email}
                  segment={segment}
                  count={reach}
                  onTested={() => setTestCount((before) => before + 1)}
                />
              )}
            </Show>
          )}
        </section>
      </RecordLayout>
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

/** Whom it reaches, a test, and the button that begins the broadcast. */
function Send({
  email,
  segment,
  count,
  onTested,
}: {
  email: Choice
  segment: string
  count: Count
  onTested: () => void
}) {
  const { route } = useLocation()
  const [test, setTest] = useState<Body<'POST', '/api/emails/send/test'>>()
  const [isAsking, setAsking] = useState(false)
  const { isBusy, run } = useAction()
  // The same key for each try: a repeated request is the same broadcast.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { recipients, skipped, isComplete } = count
  const address = session.value?.user.email
  const sendTest = async () => {
    setTest(undefined)
    const body = { id: Number(email.value) }
    setTest((await ask('POST', '/api/emails/send/test', { body })).body)
    onTested()
  }
  const send = async () => {
    const options = { path: { id: email.value }, body: { segment }, idempotencyKey }
    const { body } = await ask('POST', '/api/emails/{id}/send', options)
    route(`/broadcasts/${body.job.id}`)
  }
  return (
    <>
      <Notice tone={recipients === 0 ? 'warn' : 'neutral'}>
        <p>
          <strong>{recipients === 0 ? text.none : text.recipients(recipients, isComplete)}</strong>
        </p>
        <Skipped skipped={skipped} />
      </Notice>
      {test !== undefined && <Notice tone={test.success ? 'good' : 'bad'}>{test.message}</Notice>}
      <div class="row">
        {recipients > 0 && (
          <Button kind="primary" onClick={() => setAsking(true)}>
            {isComplete ? text.send(recipients) : text.sendAll}
          </Button>
        )}
        <Button isBusy={isBusy} disabled={!address} onClick={() => void run(sendTest)}>
          {text.test}
        </Button>
      </div>
      <p class="quiet small">{address ? text.testHelp(address) : text.noAddress}</p>
      {isAsking && (
        <Confirm
          title={
            isComplete
              ? text.confirm(email.label, recipients)
              : text.confirmMany(email.label, segment)
          }
          text={
            <>
              <p>{text.confirmText}</p>
              <p>{test?.success ? text.tested : <strong>{text.untested}</strong>}</p>
            </>
          }
          action={text.action}
          onConfirm={send}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** The email as one of the recipients gets it: subject, sender, the transport with its health, and the HTML. */
function Preview({
  emailId,
  contactId,
  testCount,
}: {
  emailId: number
  contactId: number | undefined
  testCount: number
}) {
  const loaded = useData(async (signal) => {
    const body = contactId === undefined ? { id: emailId } : { id: emailId, contactId }
    return (await ask('POST', '/api/emails/preview', { body, signal, isRead: true })).body
  }, [])
  return (
    <Show loaded={loaded}>
      {({ subject, from, to, html, text: plain, route, error, warnings }) => (
        <>
          <Card title={text.transport}>
            <Health route={route} testCount={testCount} />
          </Card>
          <Card title={text.preview}>
            {error !== null && <Notice tone="bad">{error.message}</Notice>}
            {warnings.map((warning) => (
              <Notice key={warning} tone="warn">
                {warning}
              </Notice>
            ))}
            <Facts
              facts={[
                [text.subject, <strong key="subject">{subject}</strong>],
                [text.from, from && writeMailbox(from)],
                [text.to, writeMailbox(to)],
              ]}
            />
            {html ? <EmailFrame html={html} title={text.preview} /> : <pre>{plain}</pre>}
          </Card>
        </>
      )}
    </Show>
  )
}

function writeMailbox({ name, address }: { name: string; address: string }): string {
  return name === '' ? address : `${name} <${address}>`
}

type Route = Body<'POST', '/api/emails/preview'>['route']

/**
 * The transport that the email is sent through: its last test, and what its server answered in the last 24 hours. It is read
 * again after each test.
 */
function Health({
  route: { transport, isDefault, problem },
  testCount,
}: {
  route: Route
  testCount: number
}) {
  const id = transport?.id
  const { data } = useData(
    async (signal) => {
      if (!can('multipleTransports:view') || (id === undefined && !isDefault)) return undefined
      const query = { search: `ids:${id}`, with: 'lastTest', fields: 'id' }
      const day = { transport: id ?? 'default', from: new Date(serverNow() - dayMs).toISOString() }
      const [found, rates] = await Promise.all([
        id === undefined ? undefined : ask('GET', '/api/multipleTransports', { query, signal }),
        ask('GET', '/api/deliveries/transports', { query: day, signal }),
      ])
      return { lastTest: found?.body[0]?.lastTest, rate: rates.body.transports[0] }
    },
    [id, isDefault, testCount],
  )
  const { lastTest, rate } = data ?? {}
  const test = lastTest && (lastTest.success ? 'passed' : 'failed')
  const isFailing = rate !== undefined && rate.failingShare >= failingShareMin
  return (
    <>
      <p>
        {transport === null ? (
          <strong>{isDefault ? text.defaultTransport : text.noTransport}</strong>
        ) : (
          <a href={`/transports/${transport.id}`}>{transport.name}</a>
        )}
      </p>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {lastTest !== undefined && (
        <div class="row">
          <Badge tone={testTones[test ?? 'none']}>{text.tests[test ?? 'none']}</Badge>
          {lastTest !== null && <Time iso={lastTest.date} />}
        </div>
      )}
      {lastTest?.success === false && <Notice tone="bad">{lastTest.message}</Notice>}
      {data !== undefined && (
        <p>
          {isFailing && <Badge tone="bad">{text.failing}</Badge>}{' '}
          {rate === undefined ? text.unused : text.lastDay(rate)}
        </p>
      )}
      {isFailing && rate.faults[0] && <Notice tone="bad">{rate.faults[0].text}</Notice>}
      <p class="quiet small">{text.ownerHelp}</p>
    </>
  )
}

const dayMs = 86_400_000
const testTones = { none: 'neutral', passed: 'good', failed: 'bad' } as const
/** From this share on, as a brake does. */
const failingShareMin = 0.2
