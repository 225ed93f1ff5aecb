import { useState } from 'preact/hooks'
import { CheckField } from '../../design/field.tsx'
import { MailFrame } from '../../design/mail-frame.tsx'
import { Show } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { request, withQuery } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { formatBytes } from '../../words/format.ts'
import { inboxWords } from '../../words/inbox.ts'
import type { Message } from './message.tsx'

const text = inboxWords
/** More would make the page slow. */
const sourceShownMax = 200_000

type Part = keyof typeof text.tabs

/** A captured message as HTML, as text, its headers and its source. */
export function MessageParts({ message }: { message: Message }) {
  const [shown, setShown] = useState<Part>(message.html === null ? 'text' : 'html')
  return (
    <section class="card" aria-label={text.parts}>
      <Tabs label={text.parts} tabs={text.tabs} shown={shown} onShow={setShown}>
        {shown === 'html' && <Html message={message} />}
        {shown === 'text' &&
          (message.text ? <pre>{message.text}</pre> : <p class="quiet">{text.noText}</p>)}
        {shown === 'headers' && <Headers message={message} />}
        {shown === 'source' && <Source message={message} />}
      </Tabs>
    </section>
  )
}

function Html({ message: { id, html } }: { message: Message }) {
  const [hasImages, setImages] = useState(false)
  if (html === null) return <p class="quiet">{text.noHtml}</p>
  const src = withQuery(`/api/inbox/${id}/html`, hasImages ? { images: 1 } : {})
  return (
    <>
      <CheckField
        label={text.images}
        help={text.imagesHelp}
        value={hasImages}
        onValue={setImages}
      />
      <MailFrame key={src} src={src} title={text.frame} />
    </>
  )
}

function Headers({ message: { headers } }: { message: Message }) {
  return (
    <Table
      caption={text.tabs.headers}
      rows={headers.map((header, index) => ({ ...header, index }))}
      columns={[
        { label: text.header.name, show: ({ name }) => name },
        {
          label: text.header.value,
          show: ({ value }) => <span class="mono">{value}</span>,
        },
      ]}
      keyOf={({ index }) => index}
    />
  )
}

function Source({ message: { id, sizeBytes } }: { message: Message }) {
  const path = `/api/inbox/${id}/source`
  const loaded = useData(
    async (signal) => (await request(path, { isRead: true, signal })).text(),
    [id],
  )
  return (
    <>
      <div class="row">
        <a class="button" href={path} download={`message-${id}.eml`}>
          {text.downloadSource}
        </a>
      </div>
      <Show loaded={loaded}>
        {(source) => (
          <>
            {source.length > sourceShownMax && (
              <p class="quiet small">
                {text.cut(formatBytes(sourceShownMax), formatBytes(sizeBytes))}
              </p>
            )}
            <pre>{source.slice(0, sourceShownMax)}</pre>
          </>
        )}
      </Show>
    </>
  )
}
