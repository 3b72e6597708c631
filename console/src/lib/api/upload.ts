import { ApiError } from './api-error.ts';

export interface ReceivedUpload {
  readonly id: string;
  readonly label: string;
  readonly bytes: number;
}

/**
 * Sends the bytes of a file, telling how far it is (0 to 1).
 *
 * @throws ApiError when it is refused, `OFFLINE` when it is cut off.
 */
export function uploadFile(
  file: File,
  { onProgress, signal }: { onProgress(fraction: number): void; readonly signal: AbortSignal },
): Promise<ReceivedUpload> {
  // fetch tells nothing of how much was sent.
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.open('POST', '/uploads');
    request.responseType = 'json';
    request.setRequestHeader('x-signalbox', '1');
    request.setRequestHeader('x-file-name', encodeURIComponent(file.name));
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      const body = request.response as
        | (ReceivedUpload & {
            readonly error?: { readonly code: string; readonly message: string };
          })
        | null;
      if (request.status < 300 && body !== null) return resolve(body);
      const { code = String(request.status), message = 'The file was refused.' } =
        body?.error ?? {};
      reject(new ApiError(code, message));
    };
    request.onerror = () => reject(new ApiError('OFFLINE', 'The connection was lost.'));
    request.onabort = () => reject(new ApiError('CANCELLED', 'The upload was stopped.'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
