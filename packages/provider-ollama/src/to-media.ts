import { type ImageBlock, TinyAgentsError } from "@tinyagents/core";

/** The bytes of an image in base64, where it brings them: as they are, or in a `data:` URL. */
export function imageData({ source }: ImageBlock): string | undefined {
  if (source.type === "base64") return source.data;
  return source.type === "url" ? /^data:[^,]*;base64,(.*)$/is.exec(source.url)?.[1] : undefined;
}

/** The failure of a request that shows an image which Ollama would have to fetch. Nobody fetches it here either. */
export function unseenImage({ source }: ImageBlock): TinyAgentsError<"invalid_request"> {
  const place = source.type === "url" ? `the image at ${source.url}` : "an image that another provider keeps";
  return new TinyAgentsError(
    "invalid_request",
    `Ollama takes images as bytes, and is shown ${place}. Send its bytes.`,
    {
      details: { reason: "image_source" },
    },
  );
}
