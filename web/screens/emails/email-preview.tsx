import { useState } from 'preact/hooks'
import { Notice } from '../../design/feedback.tsx'
import { MailFrame } from '../../design/mail-frame.tsx'
import { Tabs } from '../../design/tabs.tsx'
import type { Body } from '../../lib/api.ts'
import { emailWords } from '../../words/emails.ts'

const text = emailWords.preview

/** A rendered email: why it cannot be sent, its subject and sender, HTML and text. */
export function EmailPreview({ preview }: { preview: Body<'POST', '/api/emails/preview'> }) {
  const { from, to, subject, html, error, warnings, route } = preview
  const [shown, setShown] = useState<'html' | 'text'>('html')
  const transport = route.transport?.name ?? (route.isDefault ? text.defaultTransport : undefined)
  return (
    <>
      {error !== null && (
        <Notice tone="bad">
          {text.error(error.message, error.template, error.line, error.column)}
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      {route.problem !== null && <Notice tone="warn">{route.problem}</Notice>}
      {error === null && (
        <>
          <dl class="facts">
            <dt>{text.subject}</dt>
            <dd>
              <strong>{subject}</strong>
            </dd>
            <dt>{text.from}</dt>
            <dd>{from !== null && writeMailbox(from)}</dd>
            <dt>{text.to}</dt>
            <dd>{writeMailbox(to)}</dd>
            {transport !== undefined && (
              <>
                <dt>{text.route}</dt>
                <dd>{transport}</dd>
              </>
            )}
          </dl>
          <Tabs
            label={text.title}
            tabs={{ html: text.html, text: text.text }}
            shown={shown}
            onShow={setShown}
          >
            {shown === 'html' ? (
              <Html html={html} />
            ) : (
              <pre>{preview.text === null || preview.text === '' ? text.noText : preview.text}</pre>
            )}
          </Tabs>
        </>
      )}
    </>
  )
}

function Html({ html }: { html: string | null }) {
  if (html === null || html === '') return <p class="quiet">{text.noHtml}</p>
  return (
    <>
      <MailFrame html={html} title={text.frame} />
      {/<img\b/i.test(html) && <p class="quiet small">{text.images}</p>}
    </>
  )
}

function writeMailbox({ name, address }: { name: string; address: string }): string {
  return name === '' ? address : `${name} <${address}>`
}
