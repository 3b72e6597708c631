import type { ModelAdapter, ModelProtocol, ModelRequest, ModelStreamPart } from './model.ts';
import { toModelError } from './provider-errors.ts';

export interface StepRequest {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

/** One protocol, as the SDK of its provider speaks it. */
export interface SdkProtocol<Client, Options> {
  readonly protocol: ModelProtocol;
  createClient(options: Options): Promise<Client>;
  /** May throw whatever the SDK throws. */
  streamStep(client: Client, options: Options, step: StepRequest): AsyncIterable<ModelStreamPart>;
}

/** An adapter over an SDK, which is loaded for the first request. */
export function createSdkAdapter<
  Client,
  Options extends { readonly family: string; readonly provider: string },
>(
  options: Options,
  { protocol, createClient, streamStep }: SdkProtocol<Client, Options>,
): ModelAdapter {
  let client: Promise<Client> | null = null;
  return {
    protocol,
    family: options.family,
    async *stream(request, signal) {
      client ??= createClient(options);
      try {
        yield* streamStep(await client, options, { request, signal });
      } catch (error) {
        signal.throwIfAborted();
        throw toModelError(error, options.provider);
      }
    },
  };
}
