import { useState } from 'preact/hooks'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { Card, RecordLayout, Show } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { RouteSteps } from '../../design/route-steps.tsx'
import type { Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { findAssigned, findContacts, findEmails, findUsers } from '../../records/find.ts'
import { MauticField } from '../../records/mautics.tsx'
import { useProviders } from '../../records/providers.tsx'

const texts = {
  intro:
    'Choose what is known of a message. The steps show which transport it is sent through, and why.',
  of: 'Route of',
  email: 'Email',
  contact: 'Contact',
  contactId: 'Id of the contact in Mautic',
  contactIdHelp: 'Its owner in Mautic counts.',
  owner: 'Owner',
  ownerHelp: 'If no contact is chosen.',
  from: 'From address',
  fromHelp: 'If no email is chosen. A user with this address counts as the owner.',
  named: 'Transport that the message names',
  namedHelp: 'The header X-Mailyard-Transport: a name or an id.',
  result: 'Route',
  through: 'It is sent through',
  throughDefault: (server: string | null) =>
    server === null
      ? 'It is sent through the default transport.'
      : `It is sent through the default transport, ${server}.`,
  nothing: 'It is not sent.',
} as const

interface Question {
  /** The id of the Mautic that it comes from; empty for Mailyard itself. */
  mautic: string
  email?: Choice | undefined
  contact?: Choice | undefined
  contactId: string
  owner?: Choice | undefined
  from: string
  transport: string
}

const nothingKnown: Question = { mautic: '', contactId: '', from: '', transport: '' }

/** Which transport a message is sent through, as steps with reasons; it follows what is chosen. */
export function Explain() {
  const [question, setQuestion] = useState(nothingKnown)
  const { mautic, email, contact, owner, from, transport } = question
  const contactId = mautic === '' ? contact?.value : question.contactId.trim()
  const hasContact = contactId !== undefined && contactId !== ''
  const set =
    <Name extends keyof Question>(name: Name) =>
    (value: Question[Name]) =>
      setQuestion({ ...question, [name]: value })
  const query = {
    mautic,
    emailId: email?.value,
    contactId,
    ownerId: hasContact ? undefined : owner?.value,
    from: email === undefined ? from.trim() : undefined,
    transport: transport.trim(),
  }
  const loaded = useAnswer('/api/multipleTransport/resolve', { query })
  return (
    <>
      <p class="quiet">{texts.intro}</p>
      <RecordLayout
        isSideWide
        side={
          <div aria-live="polite">
            <Card title={texts.result}>
              <Show loaded={loaded}>{(route) => <Result route={route} />}</Show>
            </Card>
          </div>
        }
      >
        <form class="card" onSubmit={(event) => event.preventDefault()}>
          <MauticField
            label={texts.of}
            value={mautic}
            // Emails, contacts and users of another have other ids.
            onValue={(next) => setQuestion({ ...nothingKnown, mautic: next, from, transport })}
          />
          <Picker
            key={`email ${mautic}`}
            label={texts.email}
            value={email}
            onValue={set('email')}
            find={mautic === '' ? findEmails : findAssigned('emails', mautic)}
          />
          {email === undefined && (
            <TextField
              label={texts.from}
              help={texts.fromHelp}
              type="email"
              value={from}
              onValue={set('from')}
            />
          )}
          {mautic === '' ? (
            <Picker
              label={texts.contact}
              value={contact}
              onValue={set('contact')}
              find={findContacts}
            />
          ) : (
            <TextField
              label={texts.contactId}
              help={texts.contactIdHelp}
              inputMode="numeric"
              value={question.contactId}
              onValue={set('contactId')}
            />
          )}
          {!hasContact && can('user:view') && (
            <Picker
              key={`owner ${mautic}`}
              label={texts.owner}
              help={texts.ownerHelp}
              value={owner}
              onValue={set('owner')}
              find={mautic === '' ? findUsers : findAssigned('users', mautic)}
            />
          )}
          <TextField
            label={texts.named}
            help={texts.namedHelp}
            value={transport}
            onValue={set('transport')}
          />
        </form>
      </RecordLayout>
    </>
  )
}

function Result({ route }: { route: Body<'GET', '/api/multipleTransport/resolve'> }) {
  const { transport, isDefault, problem, trace } = route
  const { defaultServer } = useProviders()
  return (
    <div class="stack">
      {transport !== null ? (
        <Notice tone="good">
          {texts.through} <a href={`/transports/${transport.id}`}>{transport.name}</a>.
        </Notice>
      ) : (
        <Notice tone={isDefault ? 'good' : 'bad'}>
          {isDefault ? texts.throughDefault(defaultServer) : (problem ?? texts.nothing)}
        </Notice>
      )}
      <RouteSteps steps={trace} />
    </div>
  )
}
