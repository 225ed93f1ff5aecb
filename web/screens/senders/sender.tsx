import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Facts } from '../../design/facts.tsx'
import { Empty, HelpLink, Notice, Warnings } from '../../design/feedback.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useAnswer, useData } from '../../lib/use-data.ts'
import { findTransports } from '../../records/find.ts'
import { useProviders } from '../../records/providers.tsx'
import { AlignmentBadge, AlignmentDetails, DnsRecord } from '../../records/senders.tsx'
import { words } from '../../words/common.ts'
import { KeyState } from './key-state.tsx'

const text = {
  check: 'Check again',
  checking: 'DNS is being asked. This takes 15 seconds at most.',
  checked: 'Checked',
  add: 'Check with another transport',
  none: 'No transport sends this domain. Choose one to check it with.',
  dmarc: {
    title: 'DMARC',
    foundAt: 'Found at',
    organizationalDomain: 'Organizational domain',
    policy: 'Policy',
    policies: {
      none: 'none: failing messages are delivered',
      quarantine: 'quarantine: failing messages are treated as spam',
      reject: 'reject: failing messages are rejected',
    } as Readonly<Record<string, string>>,
    adkim: 'DKIM',
    aspf: 'SPF',
    modes: { relaxed: 'relaxed: subdomains are aligned', strict: 'strict: exactly this domain' },
    absent:
      'There is no DMARC record. Gmail, Yahoo and Outlook.com ask bulk senders for one: begin with this.',
    failed: 'DNS did not answer, so the DMARC record is not known. Check again in a minute.',
  },
  key: {
    title: 'DKIM key of Mailyard',
    none: 'Mailyard does not sign messages of this domain. A key helps where you send through your own server.',
    add: 'Create a key',
  },
} as const

type Sender = Schema<'Sender'>
type Transport = Schema<'SenderTransport'>

/** One From domain: its DMARC record, and each transport with what was found and what to publish. */
export default function SenderScreen() {
  const { domain = '' } = useRoute().params
  return <SenderPage key={domain} domain={domain} />
}

function SenderPage({ domain }: { domain: string }) {
  const { query, go } = useAddress()
  const { transport } = query
  const { defaultServer } = useProviders()
  const [checks, setChecks] = useState(0)
  const loaded = useData(
    async (signal) => {
      const options = { path: { domain }, query: { transport }, signal }
      return checks === 0
        ? (await ask('GET', '/api/senders/{domain}', options)).body.sender
        : (await ask('POST', '/api/senders/{domain}/check', options)).body.sender
    },
    [transport, checks],
  )
  return (
    <Page
      title={loaded.data?.domain ?? domain}
      back={{ href: '/senders', label: words.places.senders }}
      actions={
        <Button
          kind="primary"
          isBusy={loaded.isLoading}
          onClick={() => setChecks((before) => before + 1)}
        >
          {text.check}
        </Button>
      }
    >
      <div aria-live="polite">{loaded.isLoading && <p class="quiet small">{text.checking}</p>}</div>
      <Show loaded={loaded}>
        {(sender) => (
          <RecordLayout
            side={
              <>
                <DmarcCard dmarc={sender.dmarc} />
                <KeyCard domain={sender.domain} />
              </>
            }
          >
            {sender.transports.length === 0 && <Empty>{text.none}</Empty>}
            {sender.transports.map((transport) => (
              <TransportCard key={transport.id} domain={sender.domain} transport={transport} />
            ))}
            <section class="card" aria-label={text.add}>
              <Picker
                label={text.add}
                value={undefined}
                onValue={(choice) => choice !== undefined && go({ transport: choice.value })}
                find={findWithDefault(defaultServer !== null)}
              />
            </section>
          </RecordLayout>
        )}
      </Show>
    </Page>
  )
}

/** The API has the default transport as 0. */
const defaultChoice = { value: '0', label: words.defaultTransport }

/** Finds transports by their name, and the default transport where one is configured. */
const findWithDefault =
  (hasDefault: boolean) =>
  async (search: string, signal: AbortSignal): Promise<Choice[]> => {
    const isMatching = defaultChoice.label.toLowerCase().includes(search.toLowerCase())
    const found = await findTransports(search, signal)
    return hasDefault && isMatching ? [defaultChoice, ...found] : found
  }

function TransportCard({ domain, transport }: { domain: string; transport: Transport }) {
  const { id, name, verdict, sentence, dateChecked } = transport
  return (
    <section class="card" aria-label={name}>
      <div class="spread">
        <span class="row">
          <h2>{id === null ? name : <a href={`/transports/${id}`}>{name}</a>}</h2>
          <AlignmentBadge verdict={verdict} />
        </span>
        <span class="quiet small">
          {text.checked} <Time iso={dateChecked} />
        </span>
      </div>
      <p>{sentence}</p>
      <AlignmentDetails domain={domain} alignment={transport} />
    </section>
  )
}

/** The record of a domain that begins with DMARC. */
const firstPolicy = 'v=DMARC1; p=none'

function DmarcCard({ dmarc }: { dmarc: Sender['dmarc'] }) {
  const { dmarc: texts } = text
  const { state, record, foundAt, organizationalDomain, policy, adkim, aspf, problems } = dmarc
  return (
    <Card title={texts.title} tools={<HelpLink page="be-believed" />}>
      {state === 'absent' && organizationalDomain !== null && (
        <>
          <Notice tone="warn">{texts.absent}</Notice>
          <DnsRecord
            record={{ type: 'TXT', name: `_dmarc.${organizationalDomain}`, value: firstPolicy }}
          />
        </>
      )}
      {state === 'failed' && <Notice tone="warn">{texts.failed}</Notice>}
      <Warnings texts={problems} />
      {record !== null && <pre>{record}</pre>}
      <Facts
        facts={[
          [texts.foundAt, foundAt && <code>{foundAt}</code>],
          [texts.organizationalDomain, organizationalDomain],
          [texts.policy, policy && (texts.policies[policy] ?? policy)],
          [texts.adkim, adkim && texts.modes[adkim]],
          [texts.aspf, aspf && texts.modes[aspf]],
        ]}
        isShort
      />
    </Card>
  )
}

function KeyCard({ domain }: { domain: string }) {
  const query = { search: domain, limit: 0 }
  const loaded = useAnswer('/api/dkimKeys', { query, isBackground: true })
  return (
    <Card title={text.key.title}>
      <Show loaded={loaded}>
        {({ dkimKeys }) => {
          // Keys of its subdomains match too.
          const keys = dkimKeys.filter((key) => key.domain === domain)
          if (keys.length > 0)
            return keys.map((key) => (
              <p key={key.id} class="row">
                <a href={`/senders/keys/${key.id}`}>{key.selector}</a>
                <KeyState dkimKey={key} />
              </p>
            ))
          return (
            <>
              <p class="quiet small">{text.key.none}</p>
              {can('multipleTransports:create') && (
                <p>
                  <ButtonLink href={withQuery('/senders/keys/new', { domain })}>
                    {text.key.add}
                  </ButtonLink>
                </p>
              )}
            </>
          )
        }}
      </Show>
    </Card>
  )
}
