import { type ApiDocument, type Content, nameOf, type Operation } from './document.ts'
import { Markdown } from './markdown.tsx'
import { asCurl, requestOf } from './request.ts'
import { Fields, Parameters } from './schema.tsx'
import { apiDocsWords as words } from './words.ts'

/** Where commands are sent until the page knows its own address. */
const sampleOrigin = 'http://127.0.0.1:8080'
/** What stands in a path for a parameter without an example. */
const defaultSample = '1'
/** Longer examples are folded. */
const openLinesMax = 30

interface OperationProps {
  operation: Operation
  components: ApiDocument['components']
}

/** An operation: what it takes and answers on the left, its request and how to try it on the right. */
export function OperationSection({ operation, components }: OperationProps) {
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const [body] = Object.values(requestBody?.content ?? {})
  return (
    <section class="operation" aria-labelledby={operationId}>
      <h2 id={operationId} tabIndex={-1}>
        <a href={`#${operationId}`}>{summary}</a>
      </h2>
      <p class="path">
        <Method method={operation.method} /> <code>{operation.path}</code>
      </p>
      <div class="halves">
        <div class="stack">
          {description !== undefined && <Markdown text={description} />}
          {parameters.length > 0 && (
            <>
              <h3>{words.parameters}</h3>
              <Parameters parameters={parameters} />
            </>
          )}
          {body?.schema !== undefined && (
            <>
              <h3>{words.body}</h3>
              <Fields schema={body.schema} schemas={components.schemas} />
            </>
          )}
          <Answers operation={operation} components={components} />
        </div>
        <Request operation={operation} />
      </div>
    </section>
  )
}

export function Method({ method }: { method: string }) {
  return (
    <span class="method" data-method={method}>
      {method}
    </span>
  )
}

function Answers({ operation, components }: OperationProps) {
  const all = Object.entries(operation.responses)
  const inline = all.filter(([, { $ref }]) => $ref === undefined)
  const shared = all.flatMap(([status, { $ref }]) => {
    const answer = $ref === undefined ? undefined : components.responses[nameOf($ref)]
    return answer === undefined ? [] : [{ status, answer }]
  })
  return (
    <>
      <h3>{words.answers}</h3>
      {inline.map(([status, { description, headers, content = {} }]) => (
        <div class="stack answer" key={status}>
          <div>
            <code class="field-name">{status}</code> <Markdown text={description} isInline />{' '}
            {headers !== undefined && (
              <span class="quiet small">{words.headers(Object.keys(headers).join(', '))}</span>
            )}
          </div>
          {Object.entries(content).map(([type, each]) => (
            <div class="stack" key={type}>
              <span class="quiet small">{type}</span>
              <Example content={each} />
              {each.schema !== undefined && (
                <details>
                  <summary>{words.fields}</summary>
                  <Fields schema={each.schema} schemas={components.schemas} />
                </details>
              )}
            </div>
          ))}
        </div>
      ))}
      {shared.length > 0 && (
        <details>
          <summary>{words.errors(shared.map(({ status }) => status).join(', '))}</summary>
          <ul class="field-list">
            {shared.map(({ status, answer }) => (
              <li key={status}>
                <code class="field-name">{status}</code>
                <Markdown text={answer.description} />
                <Example content={Object.values(answer.content ?? {})[0]} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Example({ content }: { content: Content | undefined }) {
  if (content?.example === undefined) return null
  const text = asText(content.example)
  const lines = <pre>{text}</pre>
  if (text.split('\n').length <= openLinesMax) return lines
  return (
    <details>
      <summary>{words.example}</summary>
      {lines}
    </details>
  )
}

function asText(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2)
}

/** The request as a command, and a form that sends it. */
function Request({ operation }: { operation: Operation }) {
  const { method, path, summary, parameters = [], requestBody, security } = operation
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {}).reverse()
  const body = content?.example === undefined ? undefined : asText(content.example)
  const needsLogin = security.length > 0
  const examples = parameters.filter((each) => each.in === 'path')
  const filled = Object.fromEntries(
    examples.map((each) => [each.name, each.example ?? defaultSample]),
  )
  const values = { path: filled, query: {}, header: {}, body }
  const request = requestOf(sampleOrigin, { method, path, type, needsLogin }, values)
  return (
    <div class="stack request">
      <div class="spread">
        <h3>{words.request}</h3>
        <button type="button" class="button copy" aria-label={words.copyCurl(summary)}>
          {words.copy}
        </button>
      </div>
      <pre class="curl">{asCurl(request)}</pre>
      <details>
        <summary>{words.tryIt}</summary>
        <form
          class="stack"
          data-method={method}
          data-path={path}
          data-type={type}
          data-needs-login={needsLogin || undefined}
        >
          <p class="quiet small">
            {words.tryHelp} {method !== 'GET' && words.tryChange}
          </p>
          {parameters.map(({ name, in: place, required = false, example = defaultSample }) => (
            <label key={name} class="field">
              <span class="label mono">{name}</span>
              <input
                class="input"
                name={name}
                data-in={place}
                required={required}
                placeholder={place === 'path' ? example : undefined}
                autocomplete="off"
              />
            </label>
          ))}
          {body !== undefined && (
            <label class="field">
              <span class="label">{words.body}</span>
              <textarea class="input mono" name="body" rows={Math.min(12, body.split('\n').length)}>
                {body}
              </textarea>
            </label>
          )}
          <button type="submit" class="button" data-kind="primary">
            {words.send(method)}
          </button>
          <p role="status" />
          <pre class="result" hidden />
        </form>
      </details>
    </div>
  )
}
