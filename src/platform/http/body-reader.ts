import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../kit/app-error.ts'
import { ByteBudget, type ByteReservation } from '../../kit/byte-budget.ts'
import { pauseForTurn } from '../../kit/pause.ts'
import { PieceBuffer } from '../../kit/piece-buffer.ts'
import { bodySizeBytesMax } from './body-limits.ts'
import { HttpError } from './errors.ts'
import type { Callers } from './http-app.ts'

/** A body is in memory as it was received, in one piece, and as text. */
const bytesPerByte = 3
/** The memory of a parsed value beside its text. */
const bytesPerValue = 100
/** A body that says that it is so small does not count, so that a caller whose share is used up can still make small requests. */
const smallBytesMax = 8 * 1024
/** Which part of the memory clients without a log-in have together. */
const anonymousPart = 2 / 5
const retryAfterSeconds = 5

const responseKey = Symbol('response')
const reservationKey = Symbol('reservation')

type ReadRequest = FastifyRequest & {
  [responseKey]?: ServerResponse
  [reservationKey]?: ByteReservation
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Reads bodies for parsers of content types. */
    bodies: BodyReader
  }
}

export interface BodyReaderOptions {
  memory: ByteBudget
  callers: Pick<Callers, 'find' | 'ownerOf'>
}

/**
 * Reads bodies of requests into memory, within the share of their caller. Their bytes count from when they arrive until the
 * response is closed, however that happens. Those of small bodies do not count.
 */
export class BodyReader {
  readonly #memory: ByteBudget
  readonly #anonymous: ByteBudget
  readonly #callers: BodyReaderOptions['callers']

  constructor({ memory, callers }: BodyReaderOptions) {
    const whole = { budget: memory, owner: 'clients without a log-in' }
    this.#memory = memory
    this.#anonymous = new ByteBudget(memory.sizeMax * anonymousPart, whole)
    this.#callers = callers
  }

  /** Notes the response whose end releases the memory of the request. To be called for each request, before its body is read. */
  accept(request: ReadRequest, { raw }: FastifyReply): void {
    request[responseKey] = raw
  }

  /**
   * Reads a body to its end.
   *
   * @param onPiece Called with each piece as it arrives.
   * @throws AppError (`too_large`, `rate_limited`); HttpError (400) where the client disconnects.
   */
  read(request: ReadRequest, body: Readable, onPiece?: (piece: Buffer) => void): Promise<Buffer> {
    const sizeMax = request.routeOptions.bodyLimit ?? bodySizeBytesMax
    const announcedSize = Number(request.headers['content-length'])
    if (announcedSize > sizeMax) return Promise.reject(tooLarge(sizeMax))
    const isSmall = announcedSize <= smallBytesMax
    const pieces = new PieceBuffer()
    let size = 0
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        body.off('data', receive).off('end', finish).off('error', cut).off('close', cut)
        settle()
      }
      const fail = (error: Error) => {
        request[reservationKey]?.release()
        end(() => reject(error))
      }
      const receive = (piece: Buffer) => {
        const held = pieces.heldBytes
        size += piece.length
        try {
          if (size > sizeMax) throw tooLarge(sizeMax)
          pieces.append(piece, 0, piece.length)
          if (!isSmall) this.charge(request, (pieces.heldBytes - held) * bytesPerByte)
          onPiece?.(piece)
          if (!isSmall) pauseForTurn(body)
        } catch (error) {
          fail(error as Error)
        }
      }
      const finish = () => end(() => resolve(Buffer.concat(pieces.chunks, size)))
      const cut = () => fail(cutOff())
      body.on('data', receive).on('end', finish).on('error', cut).on('close', cut)
      if (body.destroyed) cut()
    })
  }

  /** Charges a request for the values that parsing makes of its body, unless it is small. Throws an AppError (`rate_limited`). */
  chargeValues(request: ReadRequest, count: number): void {
    if (request[reservationKey] !== undefined) this.charge(request, count * bytesPerValue)
  }

  /** Charges a request for memory that it uses until its response is closed. Throws an AppError (`rate_limited`). */
  charge(request: ReadRequest, bytes: number): void {
    if (bytes === 0) return
    const reservation = request[reservationKey] ?? this.#open(request)
    if (!reservation.tryGrow(bytes)) throw memoryLimitReached()
  }

  #open(request: ReadRequest): ByteReservation {
    const isAnonymous = this.#callers.find(request) === undefined
    const budget = isAnonymous ? this.#anonymous : this.#memory
    const reservation = budget.reserve(this.#callers.ownerOf(request))
    request[reservationKey] = reservation
    const response = request[responseKey]
    if (response === undefined || response.closed) reservation.release()
    else response.once('close', () => reservation.release())
    return reservation
  }
}

function tooLarge(sizeMax: number): AppError {
  const message = `The body is larger than ${sizeMax} bytes, the limit of this path. Send a smaller body.`
  return new AppError('too_large', 'body_too_large', message)
}

function cutOff(): HttpError {
  return new HttpError(400, 'The connection ended before the body did. Send the request again.')
}

/** The error for a request that exceeds the caller's share of the memory. */
export function memoryLimitReached(): AppError {
  const message = `Your share of the memory for data in transfer is used up. Send fewer or smaller requests at a time, and this one again in ${retryAfterSeconds} seconds.`
  return new AppError('rate_limited', 'memory_limit_reached', message, { retryAfterSeconds })
}
