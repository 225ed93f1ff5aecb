import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { ActionButton, ButtonLink } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { ConfirmButton, DeleteButton } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice, Warnings } from '../../design/feedback.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useFresh } from '../../lib/use-data.ts'
import { BrandField, brandName } from '../../records/brands.tsx'
import { senderHref } from '../../records/sender-domain.ts'
import { DnsRecord } from '../../records/senders.tsx'
import { deleteRecord, readRecord, saveRecord } from '../../records/stored.ts'
import { words } from '../../words/common.ts'
import { keyWords as text } from '../../words/dkim-keys.ts'
import { type DkimKey, KeyState, stateOf } from './key-state.tsx'
import { NewKey } from './new-key.tsx'

const back = { href: '/senders/keys', label: text.title }
const refreshMs = 10_000

/** One DKIM key with its record; or a new one. */
export default function DkimKeyScreen() {
  const { id } = useRoute().params
  return id === 'new' ? <NewKey /> : <KeyPage key={id} id={Number(id)} />
}

function KeyPage({ id }: { id: number }) {
  const loaded = useFresh(() => readRecord('dkimKey', id), [id], refreshMs)
  const { reload } = loaded
  return (
    <Show loaded={loaded} back={back}>
      {({ record: key }) => (
        <Page
          title={key.domain}
          back={back}
          badge={<KeyState dkimKey={key} />}
          actions={<Actions dkimKey={key} onChanged={reload} />}
        >
          <State dkimKey={key} />
          <RecordLayout side={<KeyFacts dkimKey={key} onChanged={reload} />}>
            <Card title={text.record}>
              <p class="quiet small">{key.isActive ? text.published : text.recordHelp}</p>
              <DnsRecord record={key.record} />
              <details>
                <summary>{text.zone}</summary>
                <CopyText text={key.record.zone} label={text.zone} />
              </details>
            </Card>
            {key.isPublished && <Replacement dkimKey={key} />}
          </RecordLayout>
        </Page>
      )}
    </Show>
  )
}

/** What the state means, and what the last look-up found wrong. */
function State({ dkimKey }: { dkimKey: DkimKey }) {
  const { tone, meaning } = stateOf(dkimKey)
  return (
    <>
      <Notice tone={tone}>
        <p>{meaning}</p>
        {dkimKey.problem !== null && <p class="small">{dkimKey.problem}</p>}
      </Notice>
      <Warnings texts={dkimKey.warnings} />
    </>
  )
}

interface KeyProps {
  dkimKey: DkimKey
  onChanged: () => void
}

function KeyFacts({ dkimKey, onChanged }: KeyProps) {
  const { domain, brand, algorithm, selector, dateAdded, dateChecked, dateActive } = dkimKey
  const time = (iso: string | null | undefined) => <Time iso={iso} none={text.notYet} />
  return (
    <Card title={words.state}>
      <Facts
        facts={[
          [text.labels.brand, brand === undefined ? text.noBrand : brandName(brand)],
          [text.labels.selector, <code key="selector">{selector}</code>],
          [text.labels.algorithm, text.algorithmNames[algorithm]],
          [text.facts.added, time(dateAdded)],
          [text.facts.checked, time(dateChecked)],
          [text.facts.active, time(dateActive)],
        ]}
      />
      {can('multipleTransports:edit') && <KeyBrand dkimKey={dkimKey} onChanged={onChanged} />}
      <p>
        <a href={senderHref(domain)}>{text.sender}</a>
      </p>
    </Card>
  )
}

/** Changes whose messages a key signs. */
function KeyBrand({ dkimKey, onChanged }: KeyProps) {
  const { id } = dkimKey
  const saved = brandDraft(dkimKey)
  const [chosen, choose] = useState(saved)
  const body = chosen === saved ? {} : brandInput(chosen)
  const save = async () => {
    await saveRecord('dkimKey', { id, etag: undefined, body })
    showToast(text.brandSaved)
    onChanged()
  }
  return (
    <>
      <BrandField none={text.noBrand} value={chosen} onValue={choose} />
      {'brand' in body && <ActionButton action={save}>{words.save}</ActionButton>}
    </>
  )
}

function Actions({ dkimKey, onChanged }: KeyProps) {
  const { id, domain, isPublished } = dkimKey
  const { route } = useLocation()
  const check = async () => {
    await ask('POST', '/api/dkimKeys/{id}/check', { path: { id } })
    showToast(text.checkedNow)
    onChanged()
  }
  const publish = async (isOn: boolean) => {
    await saveRecord('dkimKey', { id, etag: undefined, body: { isPublished: isOn } })
    showToast(isOn ? text.publishDone : text.unpublish.done)
    onChanged()
  }
  const remove = async () => {
    showToast(await deleteRecord('dkimKey', id))
    route('/senders/keys')
  }
  return (
    <>
      {can('multipleTransports:edit') && (
        <ActionButton kind="primary" action={check}>
          {text.checkNow}
        </ActionButton>
      )}
      {can('multipleTransports:publish') &&
        (isPublished ? (
          <ConfirmButton
            action={words.unpublish}
            title={text.unpublish.title(domain)}
            text={text.unpublish.text}
            onConfirm={() => publish(false)}
          />
        ) : (
          <ActionButton action={() => publish(true)}>{words.publish}</ActionButton>
        ))}
      {can('multipleTransports:delete') && (
        <DeleteButton title={text.deleteTitle(domain)} text={text.deleteText} onDelete={remove} />
      )}
    </>
  )
}

/** How another key takes the place of one. */
function Replacement({ dkimKey: { domain, brand } }: Pick<KeyProps, 'dkimKey'>) {
  return (
    <Card title={text.replace.title}>
      <ol class="lines">
        {text.replace.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {can('multipleTransports:create') && (
        <p>
          <ButtonLink href={withQuery('/senders/keys/new', { domain, brand })}>
            {text.replace.action}
          </ButtonLink>
        </p>
      )}
    </Card>
  )
}
